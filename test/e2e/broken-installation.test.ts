// A file of the program is damaged: the start says so and ends, so that a supervisor and a person see it.
import { execFile } from "node:child_process";
import { appendFileSync, cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempFolder } from "../support/temp-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

test("a start that cannot load the program ends with the reason", async () => {
  const folder = tempFolder();
  for (const name of ["src", "package.json"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  appendFileSync(join(folder, "src/role/start-role.ts"), "\n(");
  const words = [
    join(folder, "src/main.ts"),
    "serve",
    "--port",
    "0",
    "--mqtt-port",
    "off",
    "--data",
    join(folder, "data"),
  ];
  const ended = await new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(process.execPath, words, { cwd: folder }, (error, _, text) => resolve({ code: error?.code, text }));
  });
  expect(ended).toEqual({ code: 1, text: expect.stringContaining("start-role.ts") });
});
