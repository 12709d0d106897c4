// The triggers that one script has registered: each is a declarative rule without actions, advanced by the machine of those. What a
// trigger remembers is stored before its function is called, so that a restart neither forgets `for` nor repeats what has come.

import { parseRuleState } from "#core/rule/parse-rule-state.ts";
import type { Branch, DeclarativeRule } from "#core/rule/rule.ts";
import { printOf } from "#core/rule/rule-print.ts";
import { type RuleReads, readsWhatChanges, ruleReads } from "#core/rule/rule-reads.ts";
import { NEW_STATE, type RuleState } from "#core/rule/rule-state.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { RuleHistory, RuleWorld } from "#core/rule/rule-world.ts";
import { type RuleEvent, stepRule } from "#core/rule/step-rule.ts";
import { RuleProblem } from "#service/rule/rule-arguments.ts";

type EndedCommand = Extract<RuleEvent, { kind: "ended" }>;

/** A function of the script has to be called. */
export interface Firing {
  /** Names rule, trigger and time: commands of the function are executed once for it. */
  readonly id: string;
  readonly trigger: string;
  readonly branch: Branch;
  readonly at: number;
  readonly why: string;
  readonly causes: readonly string[];
  /** What was looked at, such as `meter.power`. */
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** How often its function was begun. Undefined: never. */
  readonly calls?: number | undefined;
}

export interface TriggerSetNeeds {
  readonly ruleId: string;
  readonly now: () => number;
  readonly look: (reads: RuleReads) => Promise<RuleWorld>;
  readonly history: (rule: DeclarativeRule, from: number) => Promise<RuleHistory | undefined>;
  readonly log: (severity: "warning" | "error", message: string) => void;
}

export interface TriggerSet {
  /** Its id. */
  add(rule: DeclarativeRule): string;
  remove(id: string): void;
  /** Of the script that begins anew: what its triggers remember stays. */
  clear(): void;
  readonly size: number;
  hear(event: EndedCommand): void;
  /** What comes now. It counts once it is stored. */
  step(): Promise<readonly Firing[]>;
  /** What had not ended before a restart, for a trigger that is there again. */
  waiting(): readonly Firing[];
  /** The function is being called. Until it has ended, a restart calls it again. */
  began(firingId: string): Firing | undefined;
  /** The function has ended, by itself or by an error. */
  ended(firingId: string): void;
  /** When something may come by itself; undefined: only when a value changes. */
  nextDue(): number | undefined;
  /** Undefined: it is what was stored last. */
  memory(): string | undefined;
  stored(memory: string): void;
}

/** Of one script. */
const MOST_TRIGGERS_OF_SCRIPT = 50;
/** States of triggers that are not registered now. */
const MOST_REMEMBERED = 100;
const MOST_PENDING = 100;
/** Ends of commands that wait for the next second, for each trigger. */
const MOST_ENDED = 100;
const LATEST_MS = 600_000;
/** A function that ends its thread each time must not do so for ever. */
const MOST_CALLS = 3;
/** That the trigger was there is stored this often even if nothing changes. */
const CONFIRM_MS = 300_000;

interface Trigger {
  readonly id: string;
  readonly rule: DeclarativeRule;
  readonly reads: RuleReads;
  /** Ends of commands that its next step looks at. */
  ended: readonly EndedCommand[];
  hasBegun: boolean;
  nextDue: number | undefined;
}

interface Remembered {
  readonly states: Map<string, RuleState>;
  pending: readonly Firing[];
}

export function createTriggerSet(needs: TriggerSetNeeds, stored: string | undefined): TriggerSet {
  const triggers = new Map<string, Trigger>();
  const { states, pending: before } = parseMemory(stored);
  const isRestored = new Set(before.map(({ id }) => id));
  let pending = before;
  /** Functions that have ended. Each is forgotten one step later, when its trace is stored. */
  let ended = new Set<string>();
  let endedBefore = new Set<string>();
  let last = stored === undefined ? undefined : render(true);
  let storedAt = needs.now();

  function render(isTimeless: boolean): string {
    const shown = [...states].map(([id, state]) => [id, isTimeless ? { ...state, seenAt: null } : state]);
    return JSON.stringify({ triggers: shown, pending });
  }

  async function stepOne(trigger: Trigger): Promise<readonly Firing[]> {
    const { id, rule, reads } = trigger;
    const now = needs.now();
    const isDue = trigger.nextDue !== undefined && trigger.nextDue <= now;
    const heard = trigger.hasBegun ? trigger.ended : [];
    if (trigger.hasBegun && heard.length === 0 && !isDue && !readsWhatChanges(reads)) return [];
    const before = states.get(id) ?? NEW_STATE;
    const from = Math.min(before.seenAt ?? now, now - rule.forMs);
    const start = async () => ({ kind: "start", history: await needs.history(rule, from) }) as const;
    const all: readonly RuleEvent[] = trigger.hasBegun ? [...heard, { kind: "tick" }] : [await start()];
    const firings: Firing[] = [];
    let state = before;
    for (const event of all) {
      const done = stepRule({ id: `${needs.ruleId}/${id}`, rule }, state, { world: await needs.look(reads), event });
      state = done.state;
      trigger.nextDue = done.nextDue;
      for (const effect of done.effects) if (effect.kind === "report") needs.log("warning", effect.message);
      for (const update of done.trace) if (update.kind === "begin") firings.push(...firingsOf(trigger, update.trace));
    }
    trigger.hasBegun = true;
    trigger.ended = trigger.ended.slice(heard.length);
    states.delete(id);
    states.set(id, state);
    return firings;
  }

  function forgetOldest(): void {
    for (const id of states.keys()) {
      if (states.size <= MOST_REMEMBERED) return;
      if (!triggers.has(id)) states.delete(id);
    }
  }

  return {
    add(rule) {
      if (triggers.size >= MOST_TRIGGERS_OF_SCRIPT) {
        throw new RuleProblem(`a script has at most ${MOST_TRIGGERS_OF_SCRIPT} triggers`);
      }
      const print = printOf({ ...rule, thenActions: [], elseActions: [] });
      let n = 1;
      while (triggers.has(`${print}.${n}`)) n += 1;
      const id = `${print}.${n}`;
      triggers.set(id, { id, rule, reads: ruleReads(rule), ended: [], hasBegun: false, nextDue: undefined });
      return id;
    },
    remove(id) {
      triggers.delete(id);
      states.delete(id);
      // One that runs ends by itself.
      pending = pending.filter(({ trigger, calls = 0 }) => trigger !== id || calls > 0);
    },
    clear() {
      triggers.clear();
      for (const { id } of pending) isRestored.add(id);
    },
    get size() {
      return triggers.size;
    },
    hear(event) {
      for (const trigger of triggers.values()) {
        const waits = trigger.rule.moments.some(({ kind }) => kind === "ended");
        if (waits && trigger.ended.length < MOST_ENDED) trigger.ended = [...trigger.ended, event];
      }
    },
    async step() {
      pending = pending.filter(({ id }) => !endedBefore.has(id));
      endedBefore = ended;
      ended = new Set();
      const firings: Firing[] = [];
      for (const trigger of [...triggers.values()]) firings.push(...(await stepOne(trigger)));
      forgetOldest();
      const room = Math.max(0, MOST_PENDING - pending.length);
      if (firings.length > room)
        needs.log("warning", `${firings.length - room} triggers were left out: the script is too slow`);
      const taken = firings.slice(0, room);
      pending = [...pending, ...taken];
      return taken;
    },
    waiting() {
      const again = pending.filter(({ id, trigger }) => isRestored.has(id) && triggers.has(trigger));
      for (const { id } of again) isRestored.delete(id);
      const now = needs.now();
      const late = again.filter(({ at }) => Math.abs(now - at) > LATEST_MS);
      const cut = again.filter((one) => !late.includes(one) && (one.calls ?? 0) >= MOST_CALLS);
      pending = pending.filter((one) => !late.includes(one) && !cut.includes(one));
      for (const { why } of late) needs.log("warning", `too late for a trigger that came before the stop: ${why}`);
      for (const { why } of cut)
        needs.log("error", `a function was cut ${MOST_CALLS} times, and is not called again: ${why}`);
      return again.filter((one) => !late.includes(one) && !cut.includes(one));
    },
    began(firingId) {
      const firing = pending.find(({ id }) => id === firingId);
      if (firing === undefined || ended.has(firingId) || endedBefore.has(firingId)) return undefined;
      const begun = { ...firing, calls: (firing.calls ?? 0) + 1 };
      pending = pending.map((one) => (one === firing ? begun : one));
      return begun;
    },
    ended: (firingId) => void ended.add(firingId),
    nextDue() {
      const due = [...triggers.values()].flatMap(({ nextDue, hasBegun }) =>
        hasBegun ? (nextDue ?? []) : [needs.now()],
      );
      return due.length === 0 ? undefined : Math.min(...due);
    },
    memory() {
      const isOld = triggers.size > 0 && needs.now() - storedAt >= CONFIRM_MS;
      if (last === undefined && states.size === 0 && pending.length === 0) return undefined;
      return isOld || render(true) !== last ? render(false) : undefined;
    },
    stored() {
      last = render(true);
      storedAt = needs.now();
    },
  };
}

function firingsOf({ id: trigger, rule }: Trigger, trace: RuleTrace): readonly Firing[] {
  const { id, branch, at, why, causes, outcome, evidence } = trace;
  if (outcome !== "ran" || (branch === "else" && rule.elseActions.length === 0)) return [];
  const values = Object.fromEntries(
    evidence.flatMap(({ subject, value }) => (value === undefined ? [] : [[subject, value] as const])),
  );
  return [{ id, trigger, branch, at, why, causes, values }];
}

function parseMemory(text: string | undefined): Remembered {
  const states = new Map<string, RuleState>();
  if (text === undefined) return { states, pending: [] };
  try {
    const given = JSON.parse(text) as { readonly triggers?: unknown; readonly pending?: unknown };
    for (const entry of listOf(given?.triggers).slice(0, MOST_REMEMBERED)) {
      const [id, state] = listOf(entry);
      // A state that is damaged begins carefully, as that of any rule.
      if (typeof id === "string") states.set(id, parseRuleState(JSON.stringify(state ?? null)).state);
    }
    return { states, pending: listOf(given?.pending).filter(isFiring).slice(0, MOST_PENDING) };
  } catch {
    return { states: new Map(), pending: [] };
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function isFiring(value: unknown): value is Firing {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return (
    ["id", "trigger", "why"].every((name) => typeof fields[name] === "string") &&
    (fields["branch"] === "then" || fields["branch"] === "else") &&
    typeof fields["at"] === "number" &&
    ["undefined", "number"].includes(typeof fields["calls"]) &&
    Array.isArray(fields["causes"]) &&
    typeof fields["values"] === "object" &&
    fields["values"] !== null
  );
}
