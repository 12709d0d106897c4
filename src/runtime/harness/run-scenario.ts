// One scenario played from its start to its end: virtual time, scripted peers, and the script between them.
import type { Blueprint, Command } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import type { Control } from "#core/control/control.ts";
import type { ControlCall } from "#core/control/declared-control.ts";
import type { Failure, ScenarioReport, TimelineEntry } from "#core/scenario/test-report.ts";
import { checkInputs } from "#core/value/check-inputs.ts";
import type { OpenDriver } from "#drivers/driver.ts";
import type { Drivers } from "#drivers/drivers.ts";
import type { Scenario } from "#manifest/scenario/parse-scenarios.ts";
import type { Step, StepCommand } from "#manifest/scenario/steps.ts";
import { createScriptedPeers, type ScriptedPeers } from "#runtime/harness/scripted/scripted-connections.ts";
import type { DeviceScript, ScriptHost } from "#runtime/lua/script-host.ts";
import type { JsonChecks } from "#service/blueprint/compile-json-checks.ts";
import { checkStep, type StepView } from "./check-step.ts";
import { exercisedTelemetry } from "./check-values.ts";
import { describeStep, tooLate } from "./describe-step.ts";
import { passTime } from "./pass-time.ts";
import { renderTimeline, type StepMark } from "./render-timeline.ts";
import { ScenarioControls } from "./scenario-controls.ts";
import { ScenarioInterlocks } from "./scenario-interlocks.ts";
import { outcomeOf, type RunningCommand, ScenarioRecord } from "./scenario-record.ts";
import { ScenarioVerdict } from "./scenario-verdict.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
import { createVirtualHost, type VirtualHost } from "./virtual-host.ts";

/** How long a command may take if its step sets no time. */
const COMMAND_MS = 60_000;
/** Entries of the timeline that are shown before the last failure. */
const ENTRIES_SHOWN = 20;
const DEFAULT_SEED = 1;
const INTERRUPTED = "interrupted by restart, outcome unknown";

export interface RunNeeds {
  readonly blueprint: Blueprint;
  readonly controls: ReadonlyMap<string, Control>;
  readonly json: JsonChecks;
  readonly start: (host: ScriptHost) => DeviceScript;
  /** `now` is the wall clock in Unix milliseconds. */
  readonly drivers: (drivers: readonly OpenDriver[]) => Drivers;
  /** Called with each step, and now and then while there is progress; a watchdog listens. */
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
  readonly #verdict: ScenarioVerdict;
  readonly #peers: ScriptedPeers;
  readonly #host: VirtualHost;
  readonly #controls: ScenarioControls;
  readonly #steps: StepMark[] = [];
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
    this.#verdict = new ScenarioVerdict(this.#record, this.#clock.elapsed, needs.json);
    const { happened } = this.#record;
    this.#peers = createScriptedPeers({ timers: this.#clock, happened }, scenario.peers);
    for (const [name, change] of scenario.set) this.#peers.change(name, change);
    this.#host = createVirtualHost({
      blueprint: needs.blueprint,
      clock: this.#clock,
      happened,
      scenario,
      seed: scenario.seed ?? needs.seed ?? DEFAULT_SEED,
    });
    this.#controls = new ScenarioControls({
      controls: needs.controls,
      interlocks: new ScenarioInterlocks(scenario.interlocks),
      clock: this.#clock,
      record: this.#record,
      isConnected: this.#host.isConnected,
      execute: (call) => this.#control(call),
    });
  }

  async play(): Promise<void> {
    this.#enter(undefined);
    this.#start();
    await this.#pass(0);
    for (const step of this.#scenario.steps) {
      this.#enter(step.place);
      await this.#playStep(step);
      // Later steps would fail only as a consequence.
      if (this.#isStuck) break;
    }
    this.#verdict.judgeRest();
  }

  #enter(step: Position | undefined): void {
    this.#step = step;
    this.#needs.alive(step);
  }

  #start(): void {
    const drivers = this.#needs.drivers(this.#peers.drivers(this.#host.now));
    this.#drivers = drivers;
    this.#script = this.#needs.start(this.#host.forRun(drivers));
  }

  close(): void {
    this.#script?.close();
    this.#drivers?.close();
  }

  async #playStep(step: Step): Promise<void> {
    await this.#begin(step);
    const running = this.#act(step);
    await this.#passFor(step, running);
    this.#noteHandlers();
    this.#verdict.judgeStep(this.#view(), step, running);
  }

  async #begin(step: Step): Promise<void> {
    if (step.at !== undefined) {
      if (step.at < this.#clock.elapsed()) {
        const message = tooLate(step.at, this.#clock.elapsed());
        this.#verdict.add({ kind: "scenario", message, place: step.place });
      }
      if (this.#steps.length > 0) this.#from = this.#record.all.length;
      await this.#pass(step.at - this.#clock.elapsed());
    }
    const isActing = doesSomething(step);
    // The start of the script belongs to the first step, but not to its command.
    if (isActing && (this.#steps.length > 0 || step.command !== undefined)) this.#from = this.#record.all.length;
    if (isActing || step.at !== undefined) {
      this.#steps.push({
        from: this.#record.all.length,
        at: this.#clock.elapsed(),
        text: describeStep(step, step.command && `command ${step.command.name}`),
      });
    }
  }

  #act(step: Step): RunningCommand | undefined {
    const { clock, restart, set, store, configure, connected, send, command } = step;
    if (clock !== undefined) this.#host.setClock(clock);
    if (restart) this.#restart();
    for (const [name, change] of set) this.#peers.change(name, change);
    for (const [key, text] of store ?? []) this.#host.store(key, text);
    for (const bucket of this.#host.configure(configure)) this.#script?.configurationWritten(bucket);
    if (connected !== undefined && this.#host.connect(connected)) {
      this.#script?.connectionChanged(connected);
      this.#controls.startAnew();
    }
    for (const [name, sent] of send) this.#peers.send(name, sent);
    for (const name of step.release) this.#controls.release(name);
    for (const claim of step.claim) this.#controls.claim(claim);
    return command && this.#command(command);
  }

  /** As long as the step says; by default until its command has ended. */
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
    this.#record.happened({ kind: "note", text: "the script is started again" });
    for (const running of this.#record.commands) {
      if (outcomeOf(running) !== undefined) continue;
      // As on a gateway. The scenario requested the restart, so it need not expect anything more of the command.
      running.isJudged = true;
      this.#record.happened({ kind: "response", id: running.id, state: "ERROR", payload: { message: INTERRUPTED } });
    }
    this.#controls.startAnew();
    this.#start();
  }

  /** A command that the service would refuse is not handed over: it fails the scenario. */
  #command({ name, arguments: given, place }: StepCommand): RunningCommand | undefined {
    const command = this.#needs.blueprint.commands.get(name);
    if (command === undefined) return undefined;
    const { problems } = checkInputs(command.arguments, given, this.#needs.json.arguments(name));
    for (const { message } of problems) this.#verdict.add({ kind: "scenario", message: `${name}: ${message}`, place });
    if (problems.length > 0) return undefined;
    const refusal = this.#controls.refusal({ command, arguments: given });
    return refusal === undefined ? this.#handOver(command, given, "step") : this.#refuse(command, given, refusal);
  }

  /** A command of a control: what the manifest leaves out is filled in, as on a gateway. */
  #control({ command: name, arguments: given }: ControlCall): RunningCommand | string {
    const command = this.#needs.blueprint.commands.get(name);
    if (command === undefined) return "the manifest does not declare it";
    const checked = checkInputs(command.arguments, Object.fromEntries(given), this.#needs.json.arguments(name));
    const [problem] = checked.problems;
    const refusal = problem?.message ?? this.#controls.refusal({ command, arguments: checked.values });
    return refusal ?? this.#handOver(command, checked.values, "control");
  }

  #handOver(command: Command, given: StepCommand["arguments"], by: RunningCommand["by"]): RunningCommand {
    const running = this.#note({ command, by, refusal: undefined }, given);
    this.#script?.command({ id: running.id, name: command.id, arguments: given });
    return running;
  }

  /** The script does not hear of it. */
  #refuse(command: Command, given: StepCommand["arguments"], refusal: string): RunningCommand {
    const running = this.#note({ command, by: "step", refusal }, given);
    this.#record.happened({ kind: "response", id: running.id, state: "ERROR", payload: { message: refusal } });
    return running;
  }

  #note(given: Pick<RunningCommand, "command" | "by" | "refusal">, values: StepCommand["arguments"]): RunningCommand {
    const id = `command-${this.#record.commands.length + 1}`;
    // A control repeats what fails. Its standing says so.
    const running: RunningCommand = { ...given, id, responses: [], isJudged: given.by === "control" };
    this.#record.commands.push(running);
    this.#record.happened({ kind: "command", id, name: given.command.id, arguments: values });
    return running;
  }

  #view(): StepView {
    return {
      record: this.#record,
      from: this.#from,
      stored: this.#host.stored,
      control: (name) => this.#controls.standing(name),
      level: (peer, quantity) => this.#peers.level(peer, quantity),
    };
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
    this.#verdict.add({ kind: "deadline", message, ...(this.#step === undefined ? {} : { place: this.#step }) });
  }

  report(file: string | undefined): ScenarioReport {
    const { blueprint } = this.#needs;
    const { all } = this.#record;
    const commands = this.#record.commands.filter(({ refusal }) => refusal === undefined);
    const failures = this.#verdict.failures(new Set(this.#scenario.allowUndeclared));
    const raised = this.#record.since(0, "alert").filter(({ isActive }) => isActive);
    return {
      file,
      name: this.#scenario.name,
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

/** Whether the step does more than check the result of the previous step once more. */
function doesSomething(step: Step): boolean {
  const { wait, within, command, restart, clock, set, send, configure, store, connected, claim, release } = step;
  const given = [wait, within, command, restart, clock, configure, store, connected];
  return set.size + send.size + claim.length + release.length > 0 || given.some((one) => one !== undefined);
}
