// The triggers of all scripts that run here: what they wait for is looked at each second, stored for all of them together, and then
// their functions are called.
import { type Execution, hasEnded } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { RuleRecord } from "#service/ports/rule-store.ts";
import { historyForRule } from "#service/rule/declarative/history-for-rule.ts";
import { knownDevice, type LookNeeds, lookForRule } from "#service/rule/declarative/look-for-rule.ts";
import { createRecentValues } from "#service/rule/declarative/recent-values.ts";
import { RuleProblem } from "#service/rule/rule-arguments.ts";
import { callOfRule } from "#service/rule/rule-caller.ts";
import { answerTrigger } from "./answer-trigger.ts";
import { createTriggerSet, type Firing, type TriggerSet } from "./trigger-set.ts";

export interface LuaTriggersNeeds extends LookNeeds {
  readonly events: Pick<EventHub, "listen">;
  readonly log: (ruleId: string, severity: LogSeverity, message: string) => void;
}

export interface LuaTriggers {
  /** The script begins: it has registered nothing yet. */
  begun(rule: SiteRule, timezone: string): Promise<void>;
  stopped(ruleId: string): void;
  /** What a script asks for; undefined: it is for somebody else. */
  ask(ruleId: string, name: string, args: readonly unknown[]): Promise<readonly unknown[] | undefined>;
  /** What has come, to be delivered once `records` are stored. */
  step(): Promise<readonly (readonly [ruleId: string, Firing])[]>;
  records(): readonly RuleRecord[];
  stored(records: readonly RuleRecord[]): void;
  /** What led to what the function that runs now does. */
  causesOf(ruleId: string): readonly string[];
  /** Whether the function that runs now was cut before. */
  isCalledAgain(ruleId: string): boolean;
  /** An activity of the script has ended. */
  ended(ruleId: string, kind: string): void;
  close(): void;
}

/** Of all scripts of a site. */
const MOST_OF_SITE = 2_000;

interface Kept {
  readonly site: SiteRule;
  readonly set: TriggerSet;
  running: Firing | undefined;
}

export function createLuaTriggers(needs: LuaTriggersNeeds): LuaTriggers {
  const kept = new Map<string, Kept>();
  const stopListening = needs.events.listen((event) => {
    if (event.kind !== "execution" || !("execution" in event) || !hasEnded(event.execution.state)) return;
    for (const one of kept.values()) {
      if (one.set.size > 0 && one.site.siteId === event.siteId) void hear(one, event.execution);
    }
  });

  async function hear(
    one: Kept,
    { id, deviceId, request, state }: Pick<Execution, "id" | "deviceId" | "request" | "state">,
  ): Promise<void> {
    const causes = needs.ruleCauses.ofExecution(id);
    const device = await knownDevice(needs, callOfRule(one.site, "lookForRule"), deviceId).catch(() => undefined);
    const names = device === undefined ? [deviceId] : [device.id, device.slug];
    const isSuccess = state === "SUCCESS";
    one.set.hear({ kind: "ended", executionId: id, device: names, command: request.name, isSuccess, causes });
  }

  function open(site: SiteRule, timezone: string, memory: string | undefined): Kept {
    const recent = createRecentValues(needs);
    const set = createTriggerSet(
      {
        ruleId: site.id,
        now: needs.now,
        look: (reads) => lookForRule(needs, { rule: site, reads, timezone, recent }),
        history: (rule, from) => historyForRule(needs, { site, rule }, { from, to: needs.now() }),
        log: (severity, message) => needs.log(site.id, severity, message),
      },
      memory,
    );
    return { site, set, running: undefined };
  }

  function mayAdd({ site }: Kept): void {
    let total = 0;
    for (const one of kept.values()) if (one.site.siteId === site.siteId) total += one.set.size;
    if (total >= MOST_OF_SITE) throw new RuleProblem(`the rules of a site have at most ${MOST_OF_SITE} triggers`);
  }

  return {
    async begun(site, timezone) {
      const before = kept.get(site.id);
      if (before === undefined) kept.set(site.id, open(site, timezone, await needs.rules.memory(site.id)));
      else Object.assign(before, { running: undefined }).set.clear();
    },
    stopped: (ruleId) => void kept.delete(ruleId),
    async ask(ruleId, name, args) {
      const one = kept.get(ruleId);
      if (one === undefined) return undefined;
      return await answerTrigger(one.set, name, args, {
        mayAdd: () => mayAdd(one),
        began: (firing) => {
          one.running = firing;
        },
      });
    },
    async step() {
      const all: (readonly [string, Firing])[] = [];
      const faults: unknown[] = [];
      for (const [ruleId, { set }] of [...kept]) {
        if (set.size === 0) continue;
        try {
          for (const firing of [...set.waiting(), ...(await set.step())]) all.push([ruleId, firing]);
        } catch (error) {
          faults.push(error);
        }
      }
      if (faults.length > 0 && all.length === 0) throw faults[0];
      return all;
    },
    records: () =>
      [...kept].flatMap(([ruleId, { set }]) => {
        const memory = set.memory();
        return memory === undefined ? [] : [{ ruleId, memory, traces: [], prunes: false }];
      }),
    stored(records) {
      for (const { ruleId, memory } of records) if (memory !== undefined) kept.get(ruleId)?.set.stored(memory);
    },
    causesOf: (ruleId) => kept.get(ruleId)?.running?.causes ?? [],
    isCalledAgain: (ruleId) => (kept.get(ruleId)?.running?.calls ?? 0) > 1,
    ended(ruleId, kind) {
      const one = kept.get(ruleId);
      if (one?.running === undefined || kind !== "trigger") return;
      one.set.ended(one.running.id);
      one.running = undefined;
    },
    close: stopListening,
  };
}
