import { WorkerClient } from "#web/data/worker-client.ts";
import type { RuleTools } from "./rule-tools.ts";

/** Questions about the text of rules, answered by a worker. */
export class RuleWorkerClient extends WorkerClient<RuleTools> {
  constructor() {
    super(new Worker(new URL("./rule-worker.ts", import.meta.url), { type: "module" }));
  }
}
