// Scenarios of rules over HTTP: played in a thread of their own, whatever they do.
import { beforeAll, expect, test } from "vitest";
import { createClient } from "#client/create-client.ts";
import type { NewRuleTest } from "#client/resources.ts";
import { type CommandSite, makeCommandSite } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer();
let site: CommandSite;
const client = () => createClient({ url: busbar.url, token: busbar.adminToken });
const script = (text: string, language: "yaml" | "lua" = "yaml") =>
  ({ code: Buffer.from(text).toString("base64"), runtime_version: "V3", language }) as const;
const RULE = "when: { device: meter, attribute: power, above: 10 }\nthen: { notify: It is much }\n";
const SITE = "devices: {meter: {telemetry: {power: 11}}}\n";

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Tested");
});

const tested = async (body: NewRuleTest) => (await client().rules.test(site.siteId, body)).test;

test("a script, a stored rule and a controller are tested; the site itself is not asked and not changed", async () => {
  const scenarios = `${SITE}steps: [{wait: 1m, expect: {messages: It is much}}]`;
  const expected = {
    passed: true,
    diagnostics: [],
    rule_diagnostics: [],
    scenarios: [{ passed: true, elapsed_ms: 60_000 }],
  };
  expect(await tested({ scenarios, script: script(RULE) })).toMatchObject(expected);
  const lua = "on({ device = 'meter', attribute = 'power', above = 10 }, function() notify('It is much') end)";
  expect(await tested({ scenarios, script: script(lua, "lua") })).toMatchObject(expected);
  const stored = "when: { every: 1h }\nthen: { notify: It is late }\n";
  await client().rules.create(site.siteId, { slug: "late", script: script(stored), disable: true });
  expect(
    (await tested({ scenarios: "steps: [{wait: 1h, expect: {messages: It is late}}]", rule: "late" })).passed,
  ).toBe(true);
  const made =
    "{id: cheap_hours, parameters: {device: boiler, control: power, value: 2000, prices: variable, below: 0.2}}";
  const boiler = "devices: {boiler: {controls: {power: W}}}\nvariables: {price: 0.1}\n";
  const steps = "steps: [{wait: 1s, expect: {claims: {boiler: {power: 2000}}}}]";
  expect((await tested({ scenarios: `controller: ${made}\n${boiler}${steps}` })).passed).toBe(true);
  expect((await client().notifications.list(site.siteId)).total_count).toBe(0);
});

test("a rule that keeps tests in its text runs as without them, and they are played by its name", async () => {
  const own = "when: { every: 1h }\nthen: { notify: It is much }\n";
  const kept = `${own}\n# tests:\n# steps:\n#   - wait: 1h\n#     expect: {messages: none}\n`;
  await client().rules.create(site.siteId, { slug: "keeps", script: script(kept), disable: true });
  const failed = await tested({ rule: "keeps" });
  expect(failed).toMatchObject({ passed: false, scenarios: [{ failures: [{ line: 3, column: 14 }] }] });
  expect(await tested({ script: script(kept.replace("none", "It is much")) })).toMatchObject({ passed: true });
  const none = { status: 400, code: "invalid_body", message: expect.stringContaining("keeps no tests") };
  await expect(tested({ script: script(RULE) })).rejects.toMatchObject(none);
  await expect(tested({})).rejects.toMatchObject(none);
  await client().rules.delete(site.siteId, "keeps");
});

test("what fails says where; what is wrong with either text is said at once", async () => {
  const failed = await tested({ scenarios: `${SITE}steps:\n  - expect: {messages: none}\n`, script: script(RULE) });
  expect(failed).toMatchObject({ passed: false, scenarios: [{ passed: false, failures: [{ line: 3, column: 14 }] }] });
  expect(failed.scenarios[0]?.timeline.map(({ text }) => text)).toContain("sends info: It is much");
  const wrong = await tested({ scenarios: "steps: [{wiat: 1s}, {set: {x: well}}]", script: script(RULE) });
  expect([wrong.passed, wrong.diagnostics.length, wrong.scenarios]).toEqual([false, 2, []]);
  const badRule = await tested({ scenarios: "steps: []", script: script(RULE) });
  expect(badRule.rule_diagnostics).toMatchObject([{ line: 1, message: expect.stringContaining("meter") }]);
  expect((await tested({ scenarios: "steps: []" })).diagnostics).toMatchObject([{ line: 1 }]);
});

test("hostile texts end with an answer, and others are served meanwhile", async () => {
  const endless = tested({ scenarios: "steps: [{wait: 1s}]", script: script("while true do end", "lua") });
  expect((await client().rules.list(site.siteId)).rules).toHaveLength(1);
  expect((await endless).passed).toBe(false);
  const many = `devices: {a: {every: 1s, telemetry: {${Array.from({ length: 300 }, (_, n) => `t${n}: 1`).join(", ")}}}}\nsteps: [{wait: 7d}]`;
  const full = await tested({ scenarios: many, script: script("when: { every: 7d }\nthen: { notify: x }") });
  expect(full.scenarios[0]?.failures[0]?.message).toContain("too many values");
  await expect(tested({ scenarios: "a".repeat(200_000) })).rejects.toMatchObject({ code: "invalid_body" });
  await expect(tested({ scenarios: "steps: []", script: script(RULE), rule: "late" })).rejects.toMatchObject({
    code: "invalid_body",
  });
  await expect(tested({ scenarios: "steps: []", rule: "gone" })).rejects.toMatchObject({ status: 404 });
});
