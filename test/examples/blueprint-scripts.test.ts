// The examples' own tests, as whoever copies one of them would run them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runBusbar } from "../support/run-busbar.ts";
import { callBusbar } from "../support/start-busbar.ts";

const folder = fileURLToPath(new URL("../../examples/blueprints/", import.meta.url));
const scripted = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(`${folder}${entry.name}/tests`))
  .map((entry) => entry.name);

test.each(scripted)("all scenarios of %s pass, and leave nothing of its manifest out", async (name) => {
  const { code, out } = await runBusbar(`blueprint test ${name}`, { cwd: folder });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ scenarios? passed$/m) });
  const [, ...counts] =
    /telemetry (\d+) of (\d+) sent, commands (\d+) of (\d+) run, alerts (\d+) of (\d+) raised/.exec(out) ?? [];
  expect(counts).toHaveLength(6);
  expect([counts[0], counts[2], counts[4]]).toEqual([counts[1], counts[3], counts[5]]);
});

test("the clock of a scenario shows the same wherever the machine stands", async () => {
  const { code, out } = await callBusbar(folder, ["blueprint", "test", "battery"], { TZ: "Asia/Tokyo" });
  expect({ code, out }).toMatchObject({ code: 0 });
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
