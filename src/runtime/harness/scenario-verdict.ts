// Decides whether a scenario's events are what its steps, and the rules for every script, require.
import { isExpected } from "#core/scenario/expected-value.ts";
import type { Failure } from "#core/scenario/test-report.ts";
import type { Expectations } from "#manifest/scenario/expectations.ts";
import type { Step } from "#manifest/scenario/steps.ts";
import type { ScriptError } from "#runtime/lua/script-host.ts";
import type { JsonChecks } from "#service/blueprint/compile-json-checks.ts";
import { checkStep, type StepView } from "./check-step.ts";
import { checkValues } from "./check-values.ts";
import { faultFailures } from "./fault-failures.ts";
import { messageOf, outcomeOf, type RunningCommand, type ScenarioRecord } from "./scenario-record.ts";

export class ScenarioVerdict {
  readonly #record: ScenarioRecord;
  readonly #now: () => number;
  readonly #json: JsonChecks;
  readonly #failures: Failure[] = [];
  readonly #wantedFaults = new Set<ScriptError>();

  constructor(record: ScenarioRecord, now: () => number, json: JsonChecks) {
    this.#record = record;
    this.#now = now;
    this.#json = json;
  }

  /** Something failed at this moment. */
  add(failure: Omit<Failure, "at">): void {
    this.#failures.push({ ...failure, at: this.#now() });
  }

  /** Called when the step's time has passed. `running` is the command that it gave. */
  judgeStep(view: StepView, step: Step, running: RunningCommand | undefined): void {
    const { expect } = step;
    const failures = [...checkStep(view, expect)];
    const latest = this.#record.latestCommand;
    if (
      latest !== undefined &&
      (expect.error ?? expect.response ?? expect.refused ?? expect.noResponse) !== undefined
    ) {
      latest.isJudged = outcomeOf(latest) !== undefined;
    } else if (running !== undefined) failures.push(...judgeCommand(running, step));
    this.#noteWantedFaults(view.from, expect);
    const at = this.#now();
    this.#failures.push(...failures.map((failure) => ({ at, ...failure })));
  }

  /** Called after the last step: judges what no step has judged. */
  judgeRest(): void {
    for (const running of this.#record.commands) {
      if (!running.isJudged) this.#failures.push(...judgeCommand(running, undefined));
    }
    this.#failures.push(...faultFailures(this.#record.since(0, "fault"), this.#wantedFaults));
  }

  /** Everything that failed, and values that the blueprint does not allow. */
  failures(allowUndeclared: ReadonlySet<string>): readonly Failure[] {
    const { blueprint, commands, all } = this.#record;
    const wrong = checkValues({ blueprint, allowUndeclared, commands, json: this.#json }, all);
    // The cause of the script's death comes first: the rest may be a consequence.
    const rank = ({ kind, at }: Failure) => (kind === "lua" || kind === "deadline" ? -1 : (at ?? 0));
    return [...wrong, ...this.#failures].sort((one, other) => rank(one) - rank(other));
  }

  /** Errors that the step wants, and those by which a handler ended its command as the step wants it. */
  #noteWantedFaults(from: number, { luaError, error: wanted }: Expectations): void {
    const latest = this.#record.latestCommand;
    const outcome = wanted && latest && outcomeOf(latest);
    for (const { error } of this.#record.since(from, "fault")) {
      const isTheEnd =
        outcome !== undefined &&
        messageOf(outcome) === error.message &&
        wanted !== undefined &&
        isExpected(wanted.value, error.message);
      if (isTheEnd || luaError.some(({ value }) => isExpected(value, error.message))) this.#wantedFaults.add(error);
    }
  }
}

/** A command without an expectation is expected to succeed. */
function judgeCommand(running: RunningCommand, step: Step | undefined): readonly Failure[] {
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
