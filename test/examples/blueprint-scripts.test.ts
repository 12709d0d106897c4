// The examples' own tests, as whoever copies one of them would run them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runBusbar } from "../support/run-busbar.ts";

const folder = fileURLToPath(new URL("../../examples/blueprints/", import.meta.url));
const scripted = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(`${folder}${entry.name}/tests`))
  .map((entry) => entry.name);

test.each(scripted)("all scenarios of %s pass", async (name) => {
  const { code, out } = await runBusbar(`blueprint test ${name}`, { cwd: folder });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ scenarios? passed$/m) });
});

test("every scenario of the examples names the editor's schema", () => {
  const files = scripted.flatMap((name) =>
    readdirSync(`${folder}${name}/tests`).map((file) => `${name}/tests/${file}`),
  );
  for (const file of files) {
    const [modeline] = readFileSync(`${folder}${file}`, "utf8").split("\n");
    expect(modeline, file).toBe("# yaml-language-server: $schema=../../scenario-1.0.schema.json");
  }
});
