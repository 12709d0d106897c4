// Runs declarative rules: every second, and when a time is due, it asks the machine what each of them wants, stores that, and does
// it. So a kill at any moment forgets nothing that was wanted, and repeats no command.
import { hasEnded } from "#core/command/execution.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { type RuleReads, ruleReads } from "#core/rule/rule-reads.ts";
import type { RuleState } from "#core/rule/rule-state.ts";
import { type RuleTrace, recordTraces, type TraceUpdate } from "#core/rule/rule-trace.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { type RuleEvent, stepRule } from "#core/rule/step-rule.ts";
import type { Background } from "#service/background.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { RunnableRule } from "#service/ports/rule-store.ts";
import { callOfRule } from "#service/rule/rule-caller.ts";
import type { CodeProblem, RuleHost, RuleRunner, RuleStatus } from "#service/rule/rule-runner.ts";
import { cronProblem } from "#service/schedule/next-time.ts";
import { carryOut } from "./carry-out.ts";
import { historyForRule } from "./history-for-rule.ts";
import { createKnownCauses } from "./known-causes.ts";
import { knownDevice, type LookNeeds, lookForRule } from "./look-for-rule.ts";
import { readMemory, type WantedEffect, writeMemory, writeTraces } from "./rule-memory.ts";

export interface DeclarativeRunnerNeeds extends LookNeeds {
  readonly host: RuleHost;
  readonly events: Pick<EventHub, "listen">;
  readonly background: Background;
  readonly explained: (ruleId: string, text: string) => void;
}

/** That the rule was there is stored this often even if nothing changes. */
const CONFIRM_MS = 300_000;
/** What could not be done before a stop is done after it, unless that is so long ago. */
const LATEST_MS = 600_000;
/** Ends of commands that wait for the next second. */
const MOST_ENDED = 100;

interface Kept {
  readonly site: SiteRule;
  readonly timezone: string;
  readonly rule: DeclarativeRule;
  readonly reads: RuleReads;
  state: RuleState;
  wanted: readonly WantedEffect[];
  traces: readonly RuleTrace[];
  nextDue: number | undefined;
  /** What is on disk, without the time. */
  stored: string;
  storedAt: number;
  ended: readonly EndedCommand[];
  isStopped: boolean;
}

interface EndedCommand {
  readonly executionId: string;
  readonly deviceId: string;
  readonly command: string;
  readonly isSuccess: boolean;
}

export function createDeclarativeRunner(needs: DeclarativeRunnerNeeds): RuleRunner {
  const kept = new Map<string, Kept>();
  const failures = new Map<string, NonNullable<RuleStatus["lastError"]>>();
  const causes = createKnownCauses();
  const stopListening = needs.events.listen(hear);

  function hear(event: LiveEvent): void {
    if (event.kind !== "execution" || !("execution" in event) || !hasEnded(event.execution.state)) return;
    const { id, deviceId, request, state } = event.execution;
    for (const one of kept.values()) {
      if (one.site.siteId !== event.siteId || !one.rule.moments.some(({ kind }) => kind === "ended")) continue;
      if (one.ended.length >= MOST_ENDED) continue;
      const end = { executionId: id, deviceId, command: request.name, isSuccess: state === "SUCCESS" };
      one.ended = [...one.ended, end];
    }
  }

  async function step(one: Kept, event: RuleEvent): Promise<void> {
    const { site, rule, reads, timezone } = one;
    const world = await lookForRule(needs, { rule: site, reads, timezone, causes });
    const done = stepRule({ id: site.id, rule }, one.state, { world, event });
    const fresh = done.effects.map((effect) => ({ at: world.now, effect }));
    const wanted = [...one.wanted, ...fresh];
    const text = JSON.stringify({ ...done.state, seenAt: null });
    if (fresh.length > 0 || text !== one.stored || world.now - one.storedAt >= CONFIRM_MS) {
      const traces = recordTraces([], done.trace);
      await writeMemory(needs.rules, site.id, { state: done.state, wanted, traces });
      Object.assign(one, { stored: text, storedAt: world.now });
    }
    Object.assign(one, { state: done.state, wanted, nextDue: done.nextDue });
    await note(one, done.trace);
    for (const each of fresh) await begin(one, each);
  }

  /** A command may take a minute, and other rules do not wait for it. */
  async function begin(one: Kept, wanted: WantedEffect): Promise<void> {
    if (wanted.effect.kind !== "execute") return await act(one, wanted);
    needs.background.run("execute a command for a rule", () => act(one, wanted));
  }

  async function act(one: Kept, wanted: WantedEffect): Promise<void> {
    const { effect } = wanted;
    await rememberCauses(one.site, effect);
    const result = await carryOut(needs, one.site, effect);
    one.wanted = one.wanted.filter((each) => each !== wanted);
    if (!one.isStopped) await note(one, [{ kind: "result", key: effect.key, result }]);
  }

  async function rememberCauses(site: SiteRule, effect: RuleEffect): Promise<void> {
    if (effect.kind === "set") causes.variableSet(site.siteId, effect.variable, { at: needs.now(), by: effect.causes });
    if (effect.kind !== "claim") return;
    const device = await knownDevice(needs, callOfRule(site, "lookForRule"), effect.device);
    if (device !== undefined) causes.claimed(device.id, effect.control, effect.causes);
  }

  async function note(one: Kept, updates: readonly TraceUpdate[]): Promise<void> {
    if (updates.length === 0) return;
    for (const update of updates) {
      if (update.kind !== "begin") continue;
      const { why, outcome, branch } = update.trace;
      needs.explained(one.site.id, why);
      needs.host.log(one.site.id, "info", outcome === "ran" ? `${branch}: ${why}` : `nothing is done: ${why}`);
    }
    const before = new Map(one.traces.map((trace) => [trace.id, JSON.stringify(trace)]));
    const traces = recordTraces(one.traces, updates);
    const ids = new Set(traces.map(({ id }) => id));
    const changed = traces.filter((trace) => before.get(trace.id) !== JSON.stringify(trace));
    const dropped = one.traces.filter(({ id }) => !ids.has(id));
    one.traces = traces;
    await writeTraces(needs.rules, one.site.id, { changed, dropped });
  }

  async function start({ rule: site, timezone }: RunnableRule): Promise<void> {
    await stop(site.id);
    const { rule, issues } = await parsed(Buffer.from(site.script.code, "base64"));
    if (rule === undefined) {
      fail(site.id, issues.map(({ message }) => message).join("; "), issues[0]?.range.start.line);
      return;
    }
    const memory = await readMemory(needs.rules, site.id);
    for (const problem of memory.problems) needs.host.log(site.id, "warning", `it begins carefully: ${problem}`);
    const { state, wanted, traces } = memory;
    const one: Kept = {
      ...{ site, timezone, rule, reads: ruleReads(rule), state, traces, wanted: [] },
      ...{ nextDue: undefined, stored: "", storedAt: 0, ended: [], isStopped: false },
    };
    kept.set(site.id, one);
    await goOn(one, wanted);
    const now = needs.now();
    const from = Math.min(state.seenAt ?? now, now - rule.forMs);
    const history = await historyForRule(needs, { site, rule }, { from, to: now });
    await step(one, { kind: "start", history });
  }

  /** What was wanted before a stop. Claims are made anew by the machine, as far as they still hold. */
  async function goOn(one: Kept, wanted: readonly WantedEffect[]): Promise<void> {
    const now = needs.now();
    for (const each of wanted) {
      if (each.effect.kind === "claim") continue;
      if (Math.abs(now - each.at) <= LATEST_MS) {
        one.wanted = [...one.wanted, each];
        await begin(one, each);
        continue;
      }
      needs.host.log(one.site.id, "warning", `too late for what was wanted before the stop: ${each.effect.kind}`);
    }
  }

  async function stop(ruleId: string): Promise<void> {
    const one = kept.get(ruleId);
    if (one !== undefined) one.isStopped = true;
    kept.delete(ruleId);
    failures.delete(ruleId);
  }

  function fail(ruleId: string, message: string, line?: number | undefined): void {
    failures.set(ruleId, { message, file: undefined, line, traceback: undefined, at: needs.now() });
    needs.host.log(ruleId, "error", message);
  }

  async function turnOf(one: Kept): Promise<void> {
    const { ended } = one;
    one.ended = [];
    for (const end of ended) await step(one, await eventOf(needs, one.site, end));
    const isDue = one.nextDue !== undefined && one.nextDue <= needs.now();
    if (isDue || (ended.length === 0 && readsAnything(one.reads))) await step(one, { kind: "tick" });
  }

  return {
    runtimeVersion: "DECLARATIVE",
    check: (_slug, code) => problemsOf(code),
    async start(runnable) {
      try {
        await start(runnable);
      } catch (error) {
        // The next start finds what is stored. Until then the rule does nothing.
        kept.delete(runnable.rule.id);
        fail(runnable.rule.id, "a fault in Busbar; its log has the details");
        throw error;
      }
    },
    stop,
    async turn() {
      const faults: unknown[] = [];
      for (const one of [...kept.values()]) {
        if (!one.isStopped) await turnOf(one).catch((error: unknown) => faults.push(error));
      }
      if (faults.length > 0) throw faults[0];
    },
    status(ruleId) {
      const lastError = failures.get(ruleId);
      return { isRunning: kept.has(ruleId), lastError, restartAt: undefined };
    },
    async close() {
      stopListening();
      for (const id of [...kept.keys()]) await stop(id);
    },
  };
}

/** The reader of YAML is loaded when the first rule needs it. */
async function parsed(code: Uint8Array) {
  const { parseRule } = await import("#manifest/rule/parse-rule.ts");
  return parseRule(new TextDecoder().decode(code), { cronProblem });
}

async function problemsOf(code: Uint8Array): Promise<readonly CodeProblem[]> {
  const { issues } = await parsed(code);
  const errors = issues.filter(({ severity }) => severity === "error");
  return errors.map(({ message, range: { start } }) => ({
    message: `line ${start.line}, column ${start.column}: ${message}`,
    line: start.line,
  }));
}

const readsAnything = ({ attributes, variables, controls, devices }: RuleReads): boolean =>
  attributes.length + variables.length + controls.length + devices.length > 0;

async function eventOf(needs: LookNeeds, site: SiteRule, end: EndedCommand): Promise<RuleEvent> {
  const { executionId, deviceId, command, isSuccess } = end;
  const device = await knownDevice(needs, callOfRule(site, "lookForRule"), deviceId);
  const names = device === undefined ? [deviceId] : [device.id, device.slug];
  return { kind: "ended", executionId, device: names, command, isSuccess, causes: [] };
}
