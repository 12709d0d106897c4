// Every example blueprint passes its own scenarios, and they leave nothing out.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runBusbar } from "../support/run-busbar.ts";

const folder = fileURLToPath(new URL("../../examples/blueprints/", import.meta.url));
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

test.each(names)("%s passes its scenarios", async (name) => {
  const { code, out } = await runBusbar(["blueprint", "test", `${folder}${name}`]);
  expect(out).toMatch(/^\d+ scenarios passed$/m);
  const [, ...counts] =
    /telemetry (\d+) of (\d+) sent, commands (\d+) of (\d+) run, alerts (\d+) of (\d+) raised/.exec(out) ?? [];
  expect([counts[0], counts[2], counts[4]]).toEqual([counts[1], counts[3], counts[5]]);
  expect(code).toBe(0);
});
