// Before the browser tests: the page as its sources are now.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export function setup(): void {
  const script = fileURLToPath(new URL("../../../scripts/build-page.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [script], { stdio: "inherit" });
  if (status !== 0) throw new Error("the web page could not be built");
}
