import { WorkerClient } from "#web/data/worker-client.ts";
import type { ManifestTools } from "./manifest-tools.ts";

/** Questions about manifests, answered by a worker. */
export class ManifestWorkerClient extends WorkerClient<ManifestTools> {
  constructor() {
    super(new Worker(new URL("./manifest-worker.ts", import.meta.url), { type: "module" }));
  }
}
