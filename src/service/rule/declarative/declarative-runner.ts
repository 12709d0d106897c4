// Runs declarative rules: in each turn it asks the machine what each of them wants, stores that of all of them together, and does
// it. So a kill at any moment forgets nothing that was wanted, and repeats no command.
import type { CalendarBook } from "#core/calendar/calendar-book.ts";
import { hasEnded } from "#core/command/execution.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import { type RuleReads, readsWhatChanges, ruleReads } from "#core/rule/rule-reads.ts";
import type { RuleSite } from "#core/rule/rule-site.ts";
import type { RuleState } from "#core/rule/rule-state.ts";
import { type RuleTrace, recordTraces, type TraceUpdate } from "#core/rule/rule-trace.ts";
import { say as sentence } from "#core/rule/run-phrases.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { type RuleEvent, stepRule } from "#core/rule/step-rule.ts";
import type { Background } from "#service/background.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { RuleRecord, RunnableRule } from "#service/ports/rule-store.ts";
import { knownSite } from "#service/rule/known-site.ts";
import { callOfRule } from "#service/rule/rule-caller.ts";
import type { RuleHost, RuleRunner, RuleStatus } from "#service/rule/rule-runner.ts";
import { readTraces, renderTrace } from "#service/rule/rule-traces.ts";
import { cronProblem } from "#service/schedule/next-time.ts";
import { carryOut } from "./carry-out.ts";
import { historyForRule } from "./history-for-rule.ts";
import { knownDevice, type LookNeeds, lookForRule, type RecentValues } from "./look-for-rule.ts";
import { createRecentValues } from "./recent-values.ts";
import { readMemory, renderMemory, type WantedEffect } from "./rule-memory.ts";

export interface DeclarativeRunnerNeeds extends LookNeeds {
  readonly host: RuleHost;
  readonly events: Pick<EventHub, "listen">;
  readonly background: Background;
  readonly explained: (ruleId: string, text: string) => void;
  readonly traced: (ruleId: string, trace: RuleTrace) => void;
}

/** That the rule was there is stored this often even if nothing changes. */
const CONFIRM_MS = 300_000;
/** What could not be done before a stop is done after it, unless that is so long ago. */
const LATEST_MS = 600_000;
/** Ends of commands that wait for the next second. */
const MOST_ENDED = 100;
/** After so many new traces of a rule the oldest ones are deleted. */
const TRACES_BETWEEN_PRUNES = 20;
/** Few enough that the writing thread soon comes to what others wait for. */
const RULES_IN_A_WRITE = 250;

interface Kept {
  readonly site: SiteRule;
  readonly timezone: string;
  readonly rule: DeclarativeRule;
  readonly reads: RuleReads;
  readonly recent: RecentValues;
  state: RuleState;
  wanted: readonly WantedEffect[];
  /** Those that go on, or that wait for the result of an effect. */
  traces: readonly RuleTrace[];
  /** Changed since they were stored. */
  unstored: Map<string, RuleTrace>;
  newTraces: number;
  nextDue: number | undefined;
  /** The calendars that were seen last. */
  book: CalendarBook | undefined;
  /** What is on disk: the state without its time, and the effects. */
  stored: { readonly text: string; readonly wanted: Kept["wanted"] | undefined; readonly at: number } | undefined;
  ended: readonly EndedCommand[];
  /** What the log said last. */
  lastLine: string | undefined;
  hasBegun: boolean;
  isStopped: boolean;
}

interface EndedCommand {
  readonly executionId: string;
  readonly deviceId: string;
  readonly command: string;
  readonly isSuccess: boolean;
  /** Runs of rules that led to it. */
  readonly causes: readonly string[];
}

/** What a rule wants after its events. It counts once it is stored. */
interface Stepped {
  readonly ended: readonly EndedCommand[];
  readonly state: RuleState;
  readonly fresh: readonly WantedEffect[];
  readonly updates: readonly TraceUpdate[];
  readonly nextDue: number | undefined;
}

interface Turn {
  readonly one: Kept;
  /** Undefined: nothing has happened. */
  readonly stepped: Stepped | undefined;
}

interface Recorded {
  /** Undefined: all of it is on disk already. */
  readonly record: RuleRecord | undefined;
  readonly traces: readonly RuleTrace[];
  readonly wanted: Kept["wanted"];
}

export function createDeclarativeRunner(needs: DeclarativeRunnerNeeds): RuleRunner {
  const kept = new Map<string, Kept>();
  const failures = new Map<string, NonNullable<RuleStatus["lastError"]>>();
  const stopListening = needs.events.listen(hear);

  function hear(event: LiveEvent): void {
    if (event.kind !== "execution" || !("execution" in event) || !hasEnded(event.execution.state)) return;
    const { id, deviceId, request, state } = event.execution;
    const by = needs.ruleCauses.ofExecution(id);
    for (const one of kept.values()) {
      if (one.site.siteId !== event.siteId || !one.rule.moments.some(({ kind }) => kind === "ended")) continue;
      if (one.ended.length >= MOST_ENDED) continue;
      const end = { executionId: id, deviceId, command: request.name, isSuccess: state === "SUCCESS", causes: by };
      one.ended = [...one.ended, end];
    }
  }

  /** One event after the other. Nothing of it counts before it is stored. */
  async function step(one: Kept): Promise<Stepped | undefined> {
    const { site, rule, reads, timezone, ended } = one;
    const events = one.hasBegun ? await eventsOf(one) : [await startOf(one)];
    if (events.length === 0) return undefined;
    let { state } = one;
    let nextDue: number | undefined;
    const fresh: WantedEffect[] = [];
    const updates: TraceUpdate[] = [];
    for (const event of events) {
      const world = await lookForRule(needs, { rule: site, reads, timezone, recent: one.recent });
      const done = stepRule({ id: site.id, rule }, state, { world, event });
      state = done.state;
      nextDue = done.nextDue;
      fresh.push(...done.effects.map((effect) => ({ at: world.now, effect })));
      updates.push(...done.trace);
    }
    return { ended: one.hasBegun ? ended : [], state, fresh, updates, nextDue };
  }

  async function startOf({ site, rule, state }: Kept): Promise<RuleEvent> {
    const now = needs.now();
    const from = Math.min(state.seenAt ?? now, now - rule.forMs);
    return { kind: "start", history: await historyForRule(needs, { site, rule }, { from, to: now }) };
  }

  async function eventsOf(one: Kept): Promise<readonly RuleEvent[]> {
    const { site, ended, nextDue, reads } = one;
    const events = await Promise.all(ended.map((end) => eventOf(needs, site, end)));
    const isDue = nextDue !== undefined && nextDue <= needs.now();
    const isOther = await hasOtherCalendars(one);
    return isDue || isOther || (ended.length === 0 && readsWhatChanges(reads)) ? [...events, { kind: "tick" }] : events;
  }

  /** Calendars say themselves when they change, but not when somebody edits them. */
  async function hasOtherCalendars(one: Kept): Promise<boolean> {
    if (one.reads.calendars.length === 0) return false;
    const book = await needs.siteCalendars.book(one.site.siteId);
    const isOther = book !== one.book;
    one.book = book;
    return isOther;
  }

  async function store(all: readonly Turn[]): Promise<void> {
    for (let from = 0; from < all.length; from += RULES_IN_A_WRITE) {
      const part = all
        .slice(from, from + RULES_IN_A_WRITE)
        .map((turn) => ({ ...turn, ...recordOf(turn, needs.now()) }));
      const records = part.flatMap(({ record }) => record ?? []);
      if (records.length > 0) await needs.rules.remember(records);
      for (const stored of part) take(stored);
    }
  }

  /** It is on disk. Meanwhile an effect may have ended. */
  function take({ one, stepped, record, traces, wanted }: Turn & Recorded): void {
    const fresh = stepped?.fresh ?? [];
    const isSame = one.wanted === wanted;
    if (fresh.length > 0) one.wanted = [...one.wanted, ...fresh];
    if (record?.memory !== undefined) {
      const stored = { text: textOf(stepped?.state ?? one.state), wanted: isSame ? one.wanted : undefined };
      one.stored = { ...stored, at: needs.now() };
    }
    if (record?.prunes) one.newTraces = 0;
    for (const trace of traces) if (one.unstored.get(trace.id) === trace) one.unstored.delete(trace.id);
    if (stepped === undefined) return;
    one.state = stepped.state;
    one.nextDue = stepped.nextDue;
    one.hasBegun = true;
    one.ended = one.ended.filter((end) => !stepped.ended.includes(end));
    const now = recordTraces(one.traces, stepped.updates);
    for (const trace of now) if (one.unstored.has(trace.id)) one.unstored.set(trace.id, trace);
    one.traces = openTraces(now, one.state);
    for (const update of stepped.updates) if (update.kind === "begin") say(one, update.trace);
  }

  /** A command may take a minute, and other rules do not wait for it. */
  async function begin(one: Kept, wanted: WantedEffect): Promise<void> {
    if (wanted.effect.kind !== "execute") return await act(one, wanted);
    needs.background.run("execute a command for a rule", () => act(one, wanted));
  }

  async function act(one: Kept, wanted: WantedEffect): Promise<void> {
    const { effect } = wanted;
    const result = await carryOut(needs, one.site, effect);
    // The next turn stores that it is done.
    one.wanted = one.wanted.filter((each) => each !== wanted);
    const traces = recordTraces(one.traces, [{ kind: "result", key: effect.key, result }]);
    for (const trace of changed(one.traces, traces)) one.unstored.set(trace.id, trace);
    one.traces = openTraces(traces, one.state);
  }

  function say(one: Kept, trace: RuleTrace): void {
    const { why, outcome, branch } = trace;
    one.newTraces += 1;
    needs.traced(one.site.id, trace);
    needs.explained(one.site.id, why);
    const line = sentence(outcome === "ran" ? `log_${branch}` : "log_nothing", { step: why });
    // The log is for what happens. That nothing happens again and again is in the traces.
    if (outcome === "ran" || line !== one.lastLine) needs.host.log(one.site.id, "info", line);
    one.lastLine = line;
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
    const traces = openTraces((await readTraces(needs.rules, site.id)).toReversed(), memory.state);
    const one: Kept = {
      ...{
        site,
        timezone,
        rule,
        reads: ruleReads(rule),
        recent: createRecentValues(needs),
        state: memory.state,
        traces,
        wanted: [],
      },
      ...{ unstored: new Map(), newTraces: TRACES_BETWEEN_PRUNES, nextDue: undefined, stored: undefined },
      ...{ book: undefined, ended: [], lastLine: undefined, hasBegun: false, isStopped: false },
    };
    kept.set(site.id, one);
    await goOn(one, memory.wanted);
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
    kept.delete(ruleId);
    failures.delete(ruleId);
    if (one === undefined) return;
    one.isStopped = true;
    await storeLast([one]);
  }

  /** What became of the last effects. Without it the next start does once more what can be done twice. */
  async function storeLast(all: readonly Kept[]): Promise<void> {
    const turns = all.filter(({ hasBegun }) => hasBegun).map((one) => ({ one, stepped: undefined }));
    await store(turns).catch(() => {});
  }

  function fail(ruleId: string, message: string, line?: number | undefined): void {
    failures.set(ruleId, { message, file: undefined, line, traceback: undefined, at: needs.now() });
    needs.host.log(ruleId, "error", message);
  }

  return {
    runtimeVersion: "DECLARATIVE",
    check: async (siteId, code) => (await parsed(code, await knownSite(needs, siteId))).issues,
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
      const all: Turn[] = [];
      for (const one of [...kept.values()]) {
        try {
          all.push({ one, stepped: await step(one) });
        } catch (error) {
          faults.push(error);
        }
      }
      await store(all);
      for (const { one, stepped } of all) {
        for (const each of stepped?.fresh ?? []) {
          if (!one.isStopped) await begin(one, each).catch((error: unknown) => faults.push(error));
        }
      }
      if (faults.length > 0) throw faults[0];
    },
    status(ruleId) {
      const [isRunning, lastError] = [kept.has(ruleId), failures.get(ruleId)];
      // Neither: it is about to start.
      return isRunning || lastError !== undefined ? { isRunning, lastError, restartAt: undefined } : undefined;
    },
    async close() {
      stopListening();
      const all = [...kept.values()];
      kept.clear();
      for (const one of all) one.isStopped = true;
      await storeLast(all);
    },
  };
}

const textOf = (state: RuleState): string => JSON.stringify({ ...state, seenAt: null });

function recordOf({ one, stepped }: Turn, now: number): Recorded {
  const { wanted } = one;
  const [state, fresh] = [stepped?.state ?? one.state, stepped?.fresh ?? []];
  const traces = new Map(one.unstored);
  const after = stepped === undefined ? one.traces : recordTraces(one.traces, stepped.updates);
  for (const trace of changed(one.traces, after)) traces.set(trace.id, trace);
  const isStored = one.stored?.text === textOf(state) && one.stored.wanted === wanted;
  const isNew = !isStored || fresh.length > 0 || now - (one.stored?.at ?? 0) >= CONFIRM_MS;
  if (!isNew && traces.size === 0) return { record: undefined, traces: [], wanted };
  const record = {
    ruleId: one.site.id,
    memory: isNew ? renderMemory({ state, wanted: [...wanted, ...fresh] }) : undefined,
    traces: [...traces.values()].map(renderTrace),
    prunes: one.newTraces >= TRACES_BETWEEN_PRUNES,
  };
  return { record, traces: [...traces.values()], wanted };
}

/** What a later list has that is new or different. */
function changed(before: readonly RuleTrace[], after: readonly RuleTrace[]): readonly RuleTrace[] {
  const known = new Set(before);
  return after === before ? [] : after.filter((trace) => !known.has(trace));
}

/** The others do not change any more. */
const openTraces = (traces: readonly RuleTrace[], { claims }: RuleState): readonly RuleTrace[] =>
  traces.filter(
    ({ id, endedAt, steps }) =>
      endedAt === undefined ||
      claims.some(({ runId }) => runId === id) ||
      steps.some(({ key, result }) => key !== undefined && result === undefined),
  );

/** The reader of YAML is loaded when the first rule needs it. */
async function parsed(code: Uint8Array, site?: RuleSite) {
  const { parseRule } = await import("#manifest/rule/parse-rule.ts");
  return parseRule(new TextDecoder().decode(code), { site, cronProblem });
}

async function eventOf(needs: LookNeeds, site: SiteRule, end: EndedCommand): Promise<RuleEvent> {
  const { executionId, deviceId, command, isSuccess, causes } = end;
  const device = await knownDevice(needs, callOfRule(site, "lookForRule"), deviceId);
  const names = device === undefined ? [deviceId] : [device.id, device.slug];
  return { kind: "ended", executionId, device: names, command, isSuccess, causes };
}
