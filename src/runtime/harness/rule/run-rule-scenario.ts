// One scenario of a rule played from its start to its end: virtual time, a site that does what the scenario says, and the rule.
import type { Position } from "#core/blueprint/issue.ts";
import { isExpected } from "#core/scenario/expected-value.ts";
import type { Failure, ScenarioReport, TimelineEntry } from "#core/scenario/test-report.ts";
import type { RuleScenario } from "#manifest/rule-scenario/parse-rule-scenarios.ts";
import type { RuleStep } from "#manifest/rule-scenario/steps.ts";
import { describeStep, tooLate } from "#runtime/harness/describe-step.ts";
import { checkRuleStep, type RuleView } from "./check-rule-step.ts";
import { describeHappening, RuleRecord } from "./rule-record.ts";
import { createScenarioClock, type ScenarioClock } from "./scenario-clock.ts";
import { ScenarioSite, TooMuchHappens } from "./scenario-site.ts";
import type { ExecutionEnd, RuleSink, TestedRule } from "./tested-rule.ts";

export interface RuleRunNeeds {
  readonly open: (given: {
    readonly clock: ScenarioClock;
    readonly site: () => ScenarioSite;
    readonly sink: RuleSink;
    readonly scenario: RuleScenario;
  }) => TestedRule;
  /** Whether the whole timeline is wanted, also of what passes. */
  readonly isVerbose: boolean;
  readonly mostTurns?: number;
}

/** How long a command takes. */
const COMMAND_MS = 1_000;
const WITHIN_STEP_MS = 1_000;
/** Of one scenario: three days of a rule that reads a value each second. */
const MOST_TURNS = 300_000;
/** At one moment. */
const MOST_AT_ONCE = 1_000;
const ENTRIES_SHOWN = 20;
const MOST_ENTRIES = 2_000;

export async function runRuleScenario(
  needs: RuleRunNeeds,
  scenario: RuleScenario,
  file: string | undefined,
): Promise<ScenarioReport> {
  const run = new RuleScenarioRun(needs, scenario);
  await run.play();
  return run.report(file);
}

class RuleScenarioRun {
  readonly #scenario: RuleScenario;
  readonly #isVerbose: boolean;
  readonly #mostTurns: number;
  readonly #clock: ScenarioClock;
  readonly #record: RuleRecord;
  readonly #site: ScenarioSite;
  readonly #tested: TestedRule;
  readonly #failures: Failure[] = [];
  #ends: readonly (Omit<ExecutionEnd, "isSuccess"> & { readonly at: number })[] = [];
  #isOff = true;
  #from = 0;
  #steps = 0;
  #turns = 0;
  #step: Position | undefined;
  #claimed = new Map<string, string>();

  constructor({ open, isVerbose, mostTurns = MOST_TURNS }: RuleRunNeeds, scenario: RuleScenario) {
    this.#scenario = scenario;
    this.#isVerbose = isVerbose;
    this.#mostTurns = mostTurns;
    this.#clock = createScenarioClock(scenario.start);
    this.#record = new RuleRecord(this.#clock.elapsed);
    const sink: RuleSink = {
      ...this.#record.sink,
      effect: (effect) => {
        this.#record.sink.effect(effect);
        if (effect.kind !== "execute") return;
        const { key, device, command, causes } = effect;
        const at = this.#clock.elapsed() + COMMAND_MS;
        this.#ends = [...this.#ends, { at, executionId: key, device, command, causes }];
      },
    };
    this.#tested = open({ clock: this.#clock, site: () => this.#site, sink, scenario });
    this.#site = new ScenarioSite(scenario, this.#clock, (now) => this.#tested.claimed(now));
  }

  async play(): Promise<void> {
    try {
      await this.#begin();
      for (const step of this.#scenario.steps) {
        this.#step = step.place;
        await this.#playStep(step);
      }
    } catch (error) {
      // Later steps would fail only as a consequence.
      if (!(error instanceof TooMuchHappens)) throw error;
      this.#fail({ kind: "deadline", message: error.message });
    } finally {
      this.#tested.end();
    }
    const unwanted = this.#record.since(0, "error").filter(({ isWanted }) => !isWanted);
    for (const [message, all] of Map.groupBy(unwanted, (one) => one.message)) {
      const count = all.length === 1 ? {} : { count: all.length };
      this.#failures.push({ kind: "lua", message, at: all[0]?.at ?? 0, ...count });
    }
  }

  async #begin(): Promise<void> {
    this.#isOff = false;
    await this.#tested.begin();
    this.#noteClaims();
  }

  async #tick(): Promise<void> {
    if (!this.#isOff) await this.#tested.tick();
    this.#noteClaims();
  }

  /** For the timeline. */
  #noteClaims(): void {
    const claimed = new Map(this.#tested.claimed(this.#clock.now()).map((one) => [nameOf(one), String(one.value)]));
    for (const [name, value] of claimed)
      if (this.#claimed.get(name) !== value) this.#record.note(`claims ${name} ${value}`);
    for (const name of this.#claimed.keys()) if (!claimed.has(name)) this.#record.note(`claims ${name} no longer`);
    this.#claimed = claimed;
  }

  #fail(failure: Failure): void {
    const place = this.#step === undefined ? {} : { place: this.#step };
    this.#failures.push({ ...place, at: this.#clock.elapsed(), ...failure });
  }

  async #playStep(step: RuleStep): Promise<void> {
    if (step.at !== undefined) {
      if (this.#steps > 0) this.#from = this.#record.all.length;
      const begins = this.#clock.elapsed();
      if (step.at < begins) {
        this.#fail({ kind: "scenario", message: tooLate(step.at, begins) });
      }
      await this.#pass(step.at);
    }
    // The start of the rule belongs to the first step.
    if (doesSomething(step) && this.#steps > 0) this.#from = this.#record.all.length;
    if (doesSomething(step) || step.at !== undefined) {
      this.#record.step(describeStep(step));
      this.#steps += 1;
    }
    await this.#act(step);
    await this.#passFor(step);
    this.#judge(step);
  }

  async #act(step: RuleStep): Promise<void> {
    const site = this.#site;
    if (step.clock !== undefined) {
      this.#clock.set(step.clock);
      site.clockSet();
    }
    if (step.restart !== undefined) this.#end();
    for (const [name, change] of step.set) site.change(name, change);
    for (const [name, value] of step.variables) site.setVariable(name, value);
    for (const [name, state] of step.calendars) site.setCalendar(name, state);
    site.requests.change(step.http);
    site.setPrices(step.tariff);
    for (const [device, controls] of step.release) for (const one of controls) site.release(device, one);
    for (const [device, controls] of step.claim)
      for (const [control, one] of controls) site.claim(device, control, one);
    site.send();
    if (step.restart !== undefined) {
      await this.#pass(this.#clock.elapsed() + step.restart);
      await this.#begin();
    }
    const { execution } = step;
    if (execution !== undefined) {
      const { device, command, ended } = execution;
      const executionId = `execution-${this.#record.all.length}`;
      this.#record.note(`${command} of ${device} ends with ${ended}`);
      await this.#tested.ended({ executionId, device, command, isSuccess: ended === "success", causes: [] });
    }
    if (doesSomething(step)) await this.#tick();
  }

  #end(): void {
    this.#isOff = true;
    this.#tested.end();
    this.#record.note("the gateway is started again");
  }

  async #passFor({ wait = 0, within, expect }: RuleStep): Promise<void> {
    const from = this.#clock.elapsed();
    if (within === undefined) return this.#pass(from + wait);
    return this.#pass(from + within, () => checkRuleStep(this.#view(), expect).length === 0);
  }

  /** Until this elapsed time, and everything that is due at it. */
  async #pass(to: number, isDone?: () => boolean): Promise<void> {
    let [moment, atOnce] = [this.#clock.elapsed(), 0];
    for (;;) {
      if (isDone?.() === true) return;
      const next = this.#nextDue(isDone !== undefined);
      if (next > to) break;
      this.#clock.advance(next);
      const elapsed = this.#clock.elapsed();
      atOnce = elapsed > moment ? 0 : atOnce + 1;
      moment = elapsed;
      this.#turns += 1;
      if (atOnce > MOST_AT_ONCE) throw new TooMuchHappens("the rule goes on and on at one moment");
      if (this.#turns > this.#mostTurns)
        throw new TooMuchHappens(`a scenario has at most ${this.#mostTurns} steps of the rule; let less time pass`);
      this.#site.send();
      await this.#endCommands();
      await this.#tick();
    }
    this.#clock.advance(to);
    await this.#tick();
  }

  /** Elapsed. */
  #nextDue(isWatched: boolean): number {
    const own = this.#isOff ? undefined : this.#tested.nextDue();
    return Math.min(
      own === undefined ? Number.POSITIVE_INFINITY : Math.max(this.#clock.elapsedAt(own), this.#clock.elapsed()),
      this.#site.nextDue(),
      ...this.#ends.map(({ at }) => at),
      isWatched ? this.#clock.elapsed() + WITHIN_STEP_MS : Number.POSITIVE_INFINITY,
    );
  }

  async #endCommands(): Promise<void> {
    const due = this.#ends.filter(({ at }) => at <= this.#clock.elapsed());
    this.#ends = this.#ends.filter((one) => !due.includes(one));
    if (this.#isOff) return;
    for (const { at: _, ...end } of due) {
      const isSuccess = this.#site.endOf(end.device, end.command) === "success";
      await this.#tested.ended({ ...end, isSuccess });
    }
  }

  #judge({ expect }: RuleStep): void {
    const at = this.#clock.elapsed();
    this.#failures.push(...checkRuleStep(this.#view(), expect).map((failure) => ({ at, ...failure })));
    for (const error of this.#record.since(this.#from, "error"))
      error.isWanted ||= expect.error.some(({ value }) => isExpected(value, error.message));
  }

  #view(): RuleView {
    return {
      record: this.#record,
      from: this.#from,
      claimed: this.#tested.claimed(this.#clock.now()),
      isOn: this.#tested.isOn(),
      variable: (name) => this.#site.variable(name)?.value,
      stored: (key) => this.#tested.stored(key),
    };
  }

  report(file: string | undefined): ScenarioReport {
    return {
      file,
      name: this.#scenario.name,
      failures: this.#failures,
      notes: [],
      elapsed: this.#clock.elapsed(),
      isWhole: true,
      timeline: this.#timeline(),
      exercised: { telemetry: [], commands: [], alerts: [], handlers: [] },
    };
  }

  /** All of it, or what happened before the last failure. */
  #timeline(): readonly TimelineEntry[] {
    if (!this.#isVerbose && this.#failures.length === 0) return [];
    const last = Math.max(0, ...this.#failures.map(({ at }) => at ?? this.#clock.elapsed()));
    const until = this.#isVerbose ? Number.POSITIVE_INFINITY : last;
    const most = this.#isVerbose ? MOST_ENTRIES : ENTRIES_SHOWN;
    return this.#record.all
      .filter(({ at }) => at <= until)
      .slice(-most)
      .map((one) => ({ at: one.at, text: describeHappening(one), isStep: one.kind === "step" }));
  }
}

/** Whether the step does more than check the result of the previous step once more. */
function doesSomething(step: RuleStep): boolean {
  const { wait, within, clock, restart, execution, set, variables, calendars, tariff, http, claim, release } = step;
  const sizes = [set, variables, calendars, tariff, http, claim, release].map(({ size }) => size);
  return [wait, within, clock, restart, execution].some((one) => one !== undefined) || sizes.some((size) => size > 0);
}

const nameOf = ({ device, control, claim }: ReturnType<TestedRule["claimed"]>[number]): string =>
  `${device} ${control}${claim === "target" ? "" : ` ${claim}`}`;
