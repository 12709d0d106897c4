// One scenario from its start to its end: virtual time, scripted peers, and the script between them.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import { isExpected } from "#core/scenario/expected-value.ts";
import type { Expectations, Scenario, Step } from "#core/scenario/scenario.ts";
import type { Wires } from "#runtime/drivers/wires.ts";
import { createScriptedPeers, type ScriptedPeers } from "#runtime/harness/scripted/scripted-wires.ts";
import type { DeviceScript, ScriptError, ScriptHost } from "#runtime/lua/device-script.ts";
import type { Drivers } from "#runtime/lua/drivers.ts";
import { checkStep, type StepView } from "./check-step.ts";
import { checkValues, exercisedTelemetry } from "./check-values.ts";
import { faultFailures } from "./fault-failures.ts";
import { passTime } from "./pass-time.ts";
import { renderTimeline, type StepMark } from "./render-timeline.ts";
import { messageOf, outcomeOf, type RunningCommand, ScenarioRecord } from "./scenario-record.ts";
import type { Failure, ScenarioReport, TimelineEntry } from "./test-report.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
import { createVirtualHost, type VirtualHost } from "./virtual-host.ts";

/** How long a command may take that no step gives another time. */
const COMMAND_MS = 60_000;
/** Of the timeline, before the last failure. */
const ENTRIES_SHOWN = 20;
const DEFAULT_SEED = 1;
const INTERRUPTED = "interrupted by restart, outcome unknown";

export interface RunNeeds {
  readonly blueprint: Blueprint;
  readonly start: (host: ScriptHost) => DeviceScript;
  /** `now` is the wall clock in Unix milliseconds. */
  readonly drivers: (wires: Wires, now: () => number) => Drivers;
  /** Told with each step and now and then while there is progress; a watchdog listens. */
  readonly alive: (step: Position | undefined) => void;
  readonly seed: number | undefined;
  /** Whether the whole timeline is wanted, also of what passes. */
  readonly isVerbose: boolean;
}

export async function runScenario(
  needs: RunNeeds,
  scenario: Scenario,
  file: string | undefined,
): Promise<ScenarioReport> {
  const run = new ScenarioRun(needs, scenario);
  try {
    await run.play();
  } finally {
    run.close();
  }
  return run.report(file);
}

class ScenarioRun {
  readonly #needs: RunNeeds;
  readonly #scenario: Scenario;
  readonly #clock: VirtualClock = createVirtualClock();
  readonly #record: ScenarioRecord;
  readonly #peers: ScriptedPeers;
  readonly #host: VirtualHost;
  readonly #failures: Failure[] = [];
  readonly #steps: StepMark[] = [];
  readonly #wantedFaults = new Set<ScriptError>();
  readonly #handlers = new Set<string>();
  #script: DeviceScript | undefined;
  #drivers: Drivers | undefined;
  /** Index of the first happening that expectations look at. */
  #from = 0;
  #isStuck = false;
  #isDead = false;
  #step: Position | undefined;

  constructor(needs: RunNeeds, scenario: Scenario) {
    this.#needs = needs;
    this.#scenario = scenario;
    this.#record = new ScenarioRecord(needs.blueprint, this.#clock.elapsed);
    const { tell } = this.#record;
    this.#peers = createScriptedPeers({ timers: this.#clock, tell }, scenario.peers);
    for (const [name, change] of scenario.changes) this.#peers.change(name, change);
    this.#host = createVirtualHost({
      blueprint: needs.blueprint,
      clock: this.#clock,
      tell,
      scenario,
      seed: scenario.seed ?? needs.seed ?? DEFAULT_SEED,
    });
  }

  async play(): Promise<void> {
    this.#enter(undefined);
    this.#start();
    await this.#pass(0);
    for (const step of this.#scenario.steps) {
      this.#enter(step.place);
      await this.#playStep(step);
      // What follows would fail as a consequence only.
      if (this.#isStuck) break;
    }
    this.#judgeCommands();
    this.#failures.push(...faultFailures(this.#record.since(0, "fault"), this.#wantedFaults));
  }

  #enter(step: Position | undefined): void {
    this.#step = step;
    this.#needs.alive(step);
  }

  #start(): void {
    const drivers = this.#needs.drivers(this.#peers.wires(), this.#host.now);
    this.#drivers = drivers;
    this.#script = this.#needs.start(this.#host.forRun(drivers));
  }

  close(): void {
    this.#script?.close();
    this.#drivers?.close();
  }

  async #playStep(step: Step): Promise<void> {
    const { changes, sends, configuration, storage, isConnected, restarts, command, wait, within } = step;
    if (step.at !== undefined) {
      if (step.at < this.#clock.elapsed()) {
        this.#fail(
          step,
          `at ${seconds(step.at)} has passed already: the step begins at ${seconds(this.#clock.elapsed())}`,
        );
      }
      if (this.#steps.length > 0) this.#from = this.#record.all.length;
      await this.#pass(step.at - this.#clock.elapsed());
    }
    const isActing =
      wait !== undefined ||
      within !== undefined ||
      command !== undefined ||
      restarts ||
      step.clock !== undefined ||
      changes.size + sends.size > 0 ||
      configuration !== undefined ||
      storage !== undefined ||
      isConnected !== undefined;
    // The start of the script belongs to the first step, but not to its command.
    if (isActing && (this.#steps.length > 0 || command !== undefined)) this.#from = this.#record.all.length;
    if (isActing || step.at !== undefined) {
      this.#steps.push({ from: this.#record.all.length, at: this.#clock.elapsed(), text: describeStep(step) });
    }
    if (step.clock !== undefined) this.#host.setClock(step.clock);
    if (restarts) this.#restart();
    for (const [name, change] of changes) this.#peers.change(name, change);
    for (const [key, text] of storage ?? []) this.#host.store(key, text);
    for (const bucket of this.#host.configure(configuration)) this.#script?.configurationWritten(bucket);
    if (isConnected !== undefined && this.#host.connect(isConnected)) this.#script?.connectionChanged(isConnected);
    for (const [name, sent] of sends) this.#peers.send(name, sent);
    const running = command && this.#command(command.name, command.arguments);
    await this.#passFor(step, running);
    this.#noteHandlers();
    this.#failures.push(...this.#check(step, running));
  }

  /** As long as the step says; without a word until its command has ended. */
  async #passFor(step: Step, running: RunningCommand | undefined): Promise<void> {
    const { wait, within, expect } = step;
    if (wait !== undefined) return this.#pass(wait);
    const isEnded = () => running === undefined || outcomeOf(running) !== undefined;
    if (within !== undefined) {
      const isDone = () =>
        (expect.noResponse !== undefined || isEnded()) && checkStep(this.#view(), expect).length === 0;
      return this.#pass(within, isDone);
    }
    return running === undefined ? this.#pass(0) : this.#pass(COMMAND_MS, isEnded);
  }

  #restart(): void {
    this.close();
    this.#record.tell({ kind: "note", text: "the script is started again" });
    for (const running of this.#record.commands) {
      if (outcomeOf(running) !== undefined) continue;
      // As a gateway does it. The scenario wanted the restart, so it has to expect nothing more of the command.
      running.isJudged = true;
      this.#record.tell({ kind: "response", id: running.id, state: "ERROR", payload: { message: INTERRUPTED } });
    }
    this.#start();
  }

  #command(name: string, given: Readonly<Record<string, unknown>>): RunningCommand | undefined {
    const command = this.#needs.blueprint.commands.get(name);
    if (command === undefined) return undefined;
    const id = `command-${this.#record.commands.length + 1}`;
    const running: RunningCommand = { id, command, responses: [], isJudged: false };
    this.#record.commands.push(running);
    this.#record.tell({ kind: "command", id, name, arguments: given });
    this.#script?.command({ id, name, arguments: given });
    return running;
  }

  #view(): StepView {
    return {
      record: this.#record,
      from: this.#from,
      stored: this.#host.stored,
      level: (peer, quantity) => this.#peers.level(peer, quantity),
    };
  }

  #check(step: Step, running: RunningCommand | undefined): readonly Failure[] {
    const { expect } = step;
    const failures = [...checkStep(this.#view(), expect)];
    const latest = this.#record.commands.at(-1);
    if (latest !== undefined && (expect.error ?? expect.response ?? expect.noResponse) !== undefined) {
      latest.isJudged = outcomeOf(latest) !== undefined;
    } else if (running !== undefined) failures.push(...this.#judge(running, step));
    this.#noteWantedFaults(expect);
    const at = this.#clock.elapsed();
    return failures.map((failure) => ({ at, ...failure }));
  }

  /** Errors that the step wants, and those by which a handler ended its command as the step wants it. */
  #noteWantedFaults({ luaErrors, error: wanted }: Expectations): void {
    const latest = this.#record.commands.at(-1);
    const outcome = wanted && latest && outcomeOf(latest);
    for (const { error } of this.#record.since(this.#from, "fault")) {
      const isTheEnd =
        outcome !== undefined &&
        messageOf(outcome) === error.message &&
        wanted !== undefined &&
        isExpected(wanted.value, error.message);
      if (isTheEnd || luaErrors.some(({ value }) => isExpected(value, error.message))) this.#wantedFaults.add(error);
    }
  }

  /** A command of which nothing is said is expected to succeed. */
  #judge(running: RunningCommand, step: Step | undefined): readonly Failure[] {
    const outcome = outcomeOf(running);
    const mayRunOn = step === undefined || step.wait !== undefined;
    if (outcome === undefined && mayRunOn) return [];
    running.isJudged = true;
    if (outcome?.state === "SUCCEEDED") return [];
    return [
      {
        kind: "command",
        message: `command ${running.command.id}`,
        expected: "success",
        actual: outcome === undefined ? "no answer" : `the error ${JSON.stringify(messageOf(outcome))}`,
        ...(step === undefined ? {} : { place: step.command?.place ?? step.place }),
        ...(outcome === undefined ? {} : { at: outcome.at }),
      },
    ];
  }

  #judgeCommands(): void {
    for (const running of this.#record.commands) {
      if (!running.isJudged) this.#failures.push(...this.#judge(running, undefined));
    }
  }

  #fail(step: Step, message: string): void {
    this.#failures.push({ kind: "scenario", message, place: step.place, at: this.#clock.elapsed() });
  }

  #noteHandlers(): void {
    for (const name of this.#script?.handledCommands() ?? []) this.#handlers.add(name);
  }

  async #pass(ms: number, isDone?: () => boolean): Promise<void> {
    const script = this.#script;
    if (script === undefined) return;
    const passing = {
      clock: this.#clock,
      script,
      takeWake: this.#host.takeWake,
      alive: () => this.#needs.alive(this.#step),
      isDone,
    };
    const outcome = await passTime(passing, this.#clock.elapsed() + ms);
    this.#isDead ||= outcome === "dead";
    if (outcome === "stuck") this.#stuck();
  }

  #stuck(): void {
    this.#isStuck = true;
    const message = "the script calls its peers again and again without an end, and no time passes";
    const at = this.#clock.elapsed();
    this.#failures.push({ kind: "deadline", message, at, ...(this.#step === undefined ? {} : { place: this.#step }) });
  }

  report(file: string | undefined): ScenarioReport {
    const { blueprint } = this.#needs;
    const { allowUndeclared, name } = this.#scenario;
    const { all, commands } = this.#record;
    const wrong = checkValues({ blueprint, allowUndeclared, commands }, all);
    // What the script died of comes first: the rest may be a consequence.
    const rank = ({ kind, at }: Failure) => (kind === "lua" || kind === "deadline" ? -1 : (at ?? 0));
    const failures = [...wrong, ...this.#failures].sort((one, other) => rank(one) - rank(other));
    const raised = this.#record.since(0, "alert").filter(({ isActive }) => isActive);
    return {
      file,
      name,
      failures,
      notes: this.#peers.strangers(),
      elapsed: this.#clock.elapsed(),
      isWhole: !this.#isDead && !this.#isStuck,
      timeline: this.#timeline(failures),
      exercised: {
        telemetry: [...exercisedTelemetry(blueprint, all)].sort(),
        commands: [...new Set(commands.map(({ command }) => command.id))],
        alerts: [...new Set(raised.map((one) => one.name))],
        handlers: [...this.#handlers],
      },
    };
  }

  /** All of it, or what happened before the last failure. */
  #timeline(failures: readonly Failure[]): readonly TimelineEntry[] {
    const { isVerbose } = this.#needs;
    if (!isVerbose && failures.length === 0) return [];
    const last = Math.max(0, ...failures.map(({ at }) => at ?? this.#clock.elapsed()));
    const until = isVerbose ? Number.POSITIVE_INFINITY : last;
    const most = isVerbose ? Number.POSITIVE_INFINITY : ENTRIES_SHOWN;
    return renderTimeline(this.#record.all, { steps: this.#steps, until, most });
  }
}

function describeStep({ name, place, command }: Step): string {
  const what = name ?? (command === undefined ? "" : `command ${command.name}`);
  return place.line === 0 ? what : `line ${place.line}${what === "" ? "" : `: ${what}`}`;
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))} s`;
}
