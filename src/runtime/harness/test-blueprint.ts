import { Worker } from "node:worker_threads";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import type { Control } from "#core/control/control.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { Coverage, Covered, Failure, ScenarioReport, TestReport } from "#core/scenario/test-report.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { tryPost } from "#core/thread/try-post.ts";
import type { HarnessJob, HarnessMessage, HarnessSetup } from "./harness-job.ts";
import { smokeScenario } from "./smoke-scenario.ts";

/** Real milliseconds that a script may stay in one call of a library function. */
const PATIENCE_MS = 7_000;
/** Starting the thread and the Lua engine takes so long at most, on a machine with a lot to do. */
const START_MS = 30_000;

export interface TestPlan {
  readonly blueprint: Blueprint;
  readonly program: ScriptProgram;
  /** What claims of scenarios may name. */
  readonly controls?: ReadonlyMap<string, Control> | undefined;
  /** None: the script is started and left alone for a minute. */
  readonly jobs: readonly HarnessJob[];
  readonly seed?: number | undefined;
  readonly isVerbose?: boolean | undefined;
  readonly patienceMs?: number | undefined;
  /** Called after each scenario. */
  readonly onReport?: (report: ScenarioReport) => void;
}

/** Runs a blueprint's scenarios one after the other. The same plan gives the same report. */
export async function testBlueprint(plan: TestPlan): Promise<TestReport> {
  const { blueprint, program, controls = new Map(), seed, patienceMs = PATIENCE_MS, onReport } = plan;
  const jobs = plan.jobs.length > 0 ? plan.jobs : [{ file: undefined, scenario: smokeScenario() }];
  const runner = createRunner({ blueprint, program, controls, seed, isVerbose: plan.isVerbose === true }, patienceMs);
  const scenarios: ScenarioReport[] = [];
  try {
    for (const job of jobs) {
      const report = await runner.run(job);
      scenarios.push(report);
      onReport?.(report);
    }
  } finally {
    await runner.close();
  }
  return { scenarios, problems: handlerProblems(blueprint, scenarios), coverage: coverageOf(blueprint, scenarios) };
}

/** One thread for all scenarios, replaced when a script holds it up. */
function createRunner(setup: HarnessSetup, patience: number) {
  let worker: Worker | undefined;

  async function giveUp(): Promise<void> {
    await worker?.terminate();
    worker = undefined;
  }

  return {
    close: giveUp,
    run: (job: HarnessJob): Promise<ScenarioReport> =>
      new Promise((resolve, reject) => {
        const isNew = worker === undefined;
        worker ??= new Worker(new URL("./harness-worker.ts", import.meta.url), { workerData: setup });
        const current = worker;
        // The thread itself notices most of what is stuck; this is for what never comes back to it.
        let timer = setTimeout(stop, isNew ? patience + START_MS : patience);
        let place: Position | undefined;
        function settle(): void {
          clearTimeout(timer);
          current.off("message", hear);
          current.off("error", fail);
        }
        function hear(message: HarnessMessage): void {
          clearTimeout(timer);
          if (message.kind === "alive") {
            place = message.place;
            timer = setTimeout(stop, patience);
          } else {
            settle();
            resolve(message.report);
          }
        }
        function fail(error: Error): void {
          settle();
          worker = undefined;
          reject(error);
        }
        function stop(): void {
          settle();
          void giveUp().then(() => resolve(stuckReport(job, patience, place)));
        }
        current.on("message", hear);
        current.on("error", fail);
        const error = tryPost(current, job);
        if (error !== undefined) fail(error);
      }),
  };
}

function stuckReport({ file, scenario }: HarnessJob, patience: number, place: Position | undefined): ScenarioReport {
  const message = `the script did not come back within ${patience / 1000} s from one call of a library function; on a gateway it would be ended`;
  return {
    file,
    name: scenario.name,
    failures: [{ kind: "deadline", message, ...(place === undefined ? {} : { place }) }],
    notes: [],
    elapsed: 0,
    isWhole: false,
    timeline: [],
    exercised: { telemetry: [], commands: [], alerts: [], handlers: [] },
  };
}

/** A handler counts if the script had it in any scenario: some register theirs late. A script that died proves nothing. */
function handlerProblems({ commands }: Blueprint, scenarios: readonly ScenarioReport[]): readonly Failure[] {
  if (!scenarios.some(({ isWhole }) => isWhole)) return [];
  const handled = new Set(scenarios.flatMap(({ exercised }) => exercised.handlers));
  const missing = [...commands.keys()].filter((name) => !handled.has(name));
  const strange = [...handled].filter((name) => !commands.has(name));
  return [
    ...missing.map((name): Failure => {
      const near = nearestOf(name, strange);
      const hint = near === undefined ? "" : `; did you mean it by the handler of ${near}?`;
      return { kind: "handler", message: `command ${name} has no handler in the script${hint}` };
    }),
    ...strange.map((name): Failure => {
      const near = nearestOf(name, commands.keys());
      const hint = near === undefined ? "" : `; did you mean ${near}?`;
      return { kind: "handler", message: `the script handles ${name}, which the manifest does not declare${hint}` };
    }),
  ];
}

function coverageOf({ telemetry, commands, alerts }: Blueprint, scenarios: readonly ScenarioReport[]): Coverage {
  const covered = (names: Iterable<string>, pick: "telemetry" | "commands" | "alerts"): Covered => {
    const all = [...names];
    const done = new Set(scenarios.flatMap(({ exercised }) => exercised[pick]));
    const missing = all.filter((name) => !done.has(name));
    return { done: all.length - missing.length, all: all.length, missing };
  };
  return {
    telemetry: covered(telemetry.keys(), "telemetry"),
    commands: covered(commands.keys(), "commands"),
    alerts: covered(alerts.keys(), "alerts"),
  };
}
