// The examples' own tests, as whoever copies one of them would run them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { renderScenarioSchema } from "#manifest/scenario/parse-scenarios.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { callBusbar } from "../support/start-busbar.ts";

const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(renderScenarioSchema());
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

const files = scripted.flatMap((name) => readdirSync(`${folder}${name}/tests`).map((file) => `${name}/tests/${file}`));

test.each(files)("%s names the editor's schema, which finds nothing to say", (file) => {
  const text = readFileSync(`${folder}${file}`, "utf8");
  expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=../../scenario-1.0.schema.json");
  validate(parse(text));
  expect(validate.errors ?? []).toEqual([]);
});
