// Reads uploaded packages in a thread of its own, so that a hostile one never holds up an answer to anybody else.
import { parentPort } from "node:worker_threads";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { inspectPackage } from "#service/blueprint/inspect-package.ts";

const profiles = starterLibrary();

parentPort?.on("message", ({ id, bytes }: { readonly id: number; readonly bytes: Uint8Array }) => {
  parentPort?.postMessage({ id, inspection: inspectPackage(bytes, profiles) });
});
