// Rules that require others of their site: which of them start anew when one changes, and what happens when one is missing.
import { expect, test, vi } from "vitest";
import { makeCommandSite } from "../../support/command-site.ts";
import { PATIENT } from "../../support/patient.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer();

const scriptOf = (text: string, more: object = {}) => ({
  code: Buffer.from(text).toString("base64"),
  runtime_version: "V3",
  ...more,
});

interface Rule {
  readonly state: string;
  readonly last_error: { readonly message: string; readonly file: string; readonly line: number } | null;
}

/** A site with rules of its own, and what they say. */
async function newSite(name: string) {
  const { siteId } = await makeCommandSite(busbar, name);
  const engine = `/v3/sites/${siteId}/rule_engine`;
  const { admin } = busbar;
  return {
    engine,
    create: (slug: string, text: string, more: object = {}) =>
      admin.post(`${engine}/rules`, { slug, script: scriptOf(text), ...more }),
    change: (slug: string, text: string) =>
      admin.post(`${engine}/rules/${slug}/update_script`, { script: scriptOf(text) }),
    rule: async (slug: string) => (await admin.get<{ rule: Rule }>(`${engine}/rules/${slug}`)).body.rule,
    async said(slug: string): Promise<readonly string[]> {
      const { body } = await admin.get<{ logs: readonly { message: string }[] }>(`${engine}/rules/${slug}/logs`);
      return body.logs.map(({ message }) => message).reverse();
    },
  };
}

const USER = "enapter.log('price ' .. require('prices').now)";

test("a module is another rule of the site, also a disabled one; changing it starts those anew that require it", async () => {
  const { create, change, said, engine } = await newSite("Modules");
  await create("units", "return { euro = ' EUR' }", { disable: true });
  await create("prices", "return { now = 3 .. require('units').euro }", { disable: true });
  await create("user", USER);
  await create("other", "enapter.log('other begins')");
  await vi.waitFor(async () => expect(await said("user")).toEqual(["price 3 EUR"]), PATIENT);
  await vi.waitFor(async () => expect(await said("other")).toEqual(["other begins"]), PATIENT);
  // Not when only its switch or its revision changes.
  await busbar.admin.post(`${engine}/rules/prices/enable`, {});
  await change("units", "return { euro = ' Euro' }");
  await vi.waitFor(async () => expect(await said("user")).toEqual(["price 3 EUR", "price 3 Euro"]), PATIENT);
  await change("other", "enapter.log('other is new')");
  await vi.waitFor(async () => expect(await said("other")).toEqual(["other begins", "other is new"]), PATIENT);
  expect(await said("user")).toEqual(["price 3 EUR", "price 3 Euro"]);
});

test("a module that an enabled rule requires is neither deleted nor renamed", async () => {
  const { create, engine } = await newSite("Kept");
  await create("units", "return 1", { disable: true });
  await create("prices", "return require('units')", { disable: true });
  await create("user", "require('prices')");
  for (const slug of ["prices", "units"]) {
    const refused = await busbar.admin.delete(`${engine}/rules/${slug}`);
    expect([refused.status, refused.errors[0]?.code, refused.errors[0]?.message]).toEqual([
      409,
      "conflict",
      `user require the rule ${slug}: change or disable them first`,
    ]);
  }
  expect((await busbar.admin.patch(`${engine}/rules/units`, { slug: "unit" })).status).toBe(409);
  expect((await busbar.admin.patch(`${engine}/rules/user`, { slug: "reader" })).status).toBe(200);
  await busbar.admin.post(`${engine}/rules/reader/disable`, {});
  expect((await busbar.admin.delete(`${engine}/rules/units`)).status).toBe(200);
});

test("a rule waits for a module that is not there yet, and starts when it comes", async () => {
  const { create, change, rule, said, engine } = await newSite("Missing");
  const elsewhere = await newSite("Elsewhere");
  await elsewhere.create("prices", "return { now = 'secret' }", { disable: true });
  await create("user", `\n${USER}`);
  const expected = { state: "STOPPED", last_error: { file: "user.lua", line: 2 } };
  await vi.waitFor(async () => expect(await rule("user")).toMatchObject(expected), PATIENT);
  expect((await rule("user")).last_error?.message).toBe(
    "user.lua:2: module 'prices' not found: the site has no rule prices",
  );
  await create("prices", "return { now = 1 }", { disable: true });
  await vi.waitFor(async () => expect(await said("user")).toContain("price 1"), PATIENT);
  await change("prices", "local x\nerror('no price today')");
  await vi.waitFor(
    async () =>
      expect((await rule("user")).last_error).toMatchObject({
        message: "prices.lua:2: no price today",
        file: "prices.lua",
        line: 2,
      }),
    PATIENT,
  );
  const yaml = scriptOf("when: { every: 1h }\nthen: { notify: x }\n", { language: "yaml" });
  await busbar.admin.post(`${engine}/rules/prices/update_script`, { script: yaml });
  await vi.waitFor(
    async () =>
      expect((await rule("user")).last_error?.message).toBe(
        "user.lua:2: module 'prices' not found: the rule prices is written in YAML, and only a script can be required",
      ),
    PATIENT,
  );
});

test("a check, a dry run and scenarios know the modules of the site", async () => {
  const { create, engine } = await newSite("Tools");
  await create("prices", "limit = 5\nreturn { now = function() return limit end }", { disable: true });
  const script = scriptOf("variables.set('price', require('prices').now() + limit)\nrequire('gone')");
  const checked = await busbar.admin.post<{ diagnostics: readonly object[] }>(`${engine}/check`, { script });
  expect(checked.body.diagnostics).toMatchObject([
    {
      severity: "warning",
      line: 2,
      column: 9,
      message: 'The module "gone" cannot be required: the site has no rule gone.',
    },
  ]);
  const good = scriptOf("schedule('1h', function() variables.set('price', require('prices').now()) end)");
  const dry = { script: good, from: new Date(Date.now() - 7_200_000).toISOString(), to: new Date().toISOString() };
  const tried = await busbar.admin.post<{
    dry_run: { effects: readonly { text: string }[]; problems: readonly string[] };
  }>(`${engine}/dry_run`, dry);
  expect(tried.body.dry_run.effects.map(({ text }) => text)).toContain("price = 5");
  const scenarios = "steps: [{wait: 1h, expect: {variables: {price: 5}}}]";
  const tested = await busbar.admin.post<{ test: { passed: boolean } }>(`${engine}/test`, { scenarios, script: good });
  expect(tested.body).toMatchObject({ test: { passed: true } });
  const missing = await busbar.admin.post<{ test: object }>(`${engine}/test`, { scenarios, script });
  expect(missing.body.test).toMatchObject({ passed: false, scenarios: [], rule_diagnostics: [{ line: 2 }] });
});

test("a rule with more modules than it may have, or larger ones, is told so", async () => {
  const { create, rule } = await newSite("Many");
  for (let n = 0; n <= 20; n += 1)
    await create(`m${n}`, `local next = require('m${n + 1}')\nreturn next`, { disable: true });
  await create("deep", "require('m0')");
  for (const slug of ["big", "large", "third"])
    await create(slug, `return "${"x".repeat(262_000)}"`, { disable: true });
  await create("wide", "require('big')\nrequire('large')\nrequire('third')");
  await vi.waitFor(async () => {
    expect((await rule("deep")).last_error?.message).toBe(
      "m19.lua:1: module 'm20' not found: a rule has at most 20 modules, with those that they require",
    );
    expect((await rule("wide")).last_error?.message).toBe(
      "wide.lua:3: module 'third' not found: the modules of a rule have at most 512 KiB together",
    );
  }, PATIENT);
});
