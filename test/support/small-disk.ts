import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { tempFolder } from "./temp-folder.ts";

/** Whether this machine lets a test mount a file system of its own. */
export function canMount(): boolean {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "busbar-test", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A folder on a disk of this size, such as `4m`; gone with the test. */
export function mountSmallDisk(size: string): string {
  const folder = tempFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "busbar-test", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder]);
  });
  return folder;
}
