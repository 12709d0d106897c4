// Runs scenarios in a thread of its own: whatever a script does, whoever waits for it can end it.
import { parentPort, workerData } from "node:worker_threads";
import type { HarnessJob, HarnessMessage, HarnessSetup } from "./harness-job.ts";
import { type RunNeeds, runScenario } from "./run-scenario.ts";
import { startScripts } from "./start-scripts.ts";

const { blueprint, program, seed } = workerData as HarnessSetup;
const post = (message: HarnessMessage) => parentPort?.postMessage(message);
const { start, drivers } = startScripts(program);

parentPort?.on("message", async ({ file, scenario }: HarnessJob) => {
  const alive: RunNeeds["alive"] = (place) => post({ kind: "alive", place });
  post({
    kind: "done",
    report: await runScenario({ blueprint, start, drivers, alive, seed }, scenario, file),
  });
});
