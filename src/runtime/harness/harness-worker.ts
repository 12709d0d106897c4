// Runs scenarios in a thread of their own, so that the caller can end them, whatever a script does.
import { parentPort, workerData } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import { compileJsonChecks } from "#service/blueprint/compile-json-checks.ts";
import type { HarnessJob, HarnessMessage, HarnessSetup } from "./harness-job.ts";
import { type RunNeeds, runScenario } from "./run-scenario.ts";
import { startScripts } from "./start-scripts.ts";

const { blueprint, controls, program, seed, isVerbose } = workerData as HarnessSetup;
const post = (message: HarnessMessage) => {
  const error = parentPort === null ? undefined : tryPost(parentPort, message);
  if (error !== undefined) throw error;
};
const { start, drivers } = startScripts(program);
const json = compileJsonChecks(blueprint);

const alive: RunNeeds["alive"] = (place) => post({ kind: "alive", place });

// A rejection is a bug of the harness: it ends the thread, and the caller is notified.
parentPort?.on("message", ({ file, scenario }: HarnessJob) => {
  void runScenario({ blueprint, controls, json, start, drivers, alive, seed, isVerbose }, scenario, file).then(
    (report) => post({ kind: "done", report }),
  );
});
