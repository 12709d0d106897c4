import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runBusbar, withFolder } from "./run-busbar.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A folder with these files, and `busbar blueprint ...` run in it. */
export function inFolder<T>(
  files: Files,
  use: (run: (command: string, input?: string) => ReturnType<typeof runBusbar>, folder: string) => Promise<T>,
) {
  return withFolder((folder) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return use(
      (command, input) => runBusbar(`blueprint ${command}`, { cwd: folder, ...(input === undefined ? {} : { input }) }),
      folder,
    );
  });
}
