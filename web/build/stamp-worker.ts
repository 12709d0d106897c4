import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { workerOfVersion } from "./worker-of-version.ts";

const WORKER = "service-worker.js";

/** Whatever else lies beside the service worker, such as the page for the time without a server, makes it another one. */
export function stampWorker(publicFolder: string): Plugin {
  return {
    name: "busbar-stamp-worker",
    apply: "build",
    writeBundle({ dir = "" }) {
      const files = readdirSync(publicFolder).filter((name) => name !== WORKER);
      const kept = files.toSorted().map((name) => readFileSync(join(publicFolder, name)));
      writeFileSync(join(dir, WORKER), workerOfVersion(readFileSync(join(publicFolder, WORKER), "utf8"), kept));
    },
  };
}
