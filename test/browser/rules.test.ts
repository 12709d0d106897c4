// Rules on the page: a ready controller is tried and enabled, a rule is written and mended, a run is read, rules are switched by a
// thumb, two people change one rule, and those who may only look are offered nothing else.
import type { Page as Tab } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Rule, Site } from "#client/resources.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { ON_TABLET, wrongIn } from "./support/looks.ts";
import { smallTargets } from "./support/measure.ts";
import { lacks, readAfter } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Cellar boiler
runtime: {type: embedded}
telemetry:
  temperature: {type: float, unit: Cel, display_name: Temperature, aliases: [temp]}
  heat_power: {type: float, unit: W, display_name: Heat}
command_groups: {main: {display_name: Main}}
commands:
  set_heat:
    group: main
    display_name: Set heat
    arguments:
      power: {type: float, unit: W, min: 0, max: 6000, required: true, display_name: Heat}
alerts:
  dry: {severity: warning, display_name: Runs dry}
.busbar:
  controls:
    heat: {command: set_heat, argument: power, reads: heat_power, fallback: {value: 0}}
`;

inBrowser("rules", rules);

function rules(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  let site = "";
  let boiler = "";
  let device: FakeDevice;
  let base = "";

  beforeAll(async () => {
    const { admin } = busbar;
    site = (await admin.post<{ site: Site }>("/v3/sites", { name: "Yard", timezone: "Europe/Berlin" })).body.site.id;
    base = `/v3/sites/${site}/rule_engine/rules`;
    const uploaded = await admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
      bytes: MANIFEST,
    });
    const body = { name: "Boiler", slug: "boiler", site_id: site, blueprint_id: uploaded.body.blueprint.id };
    boiler = (await admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
    const path = `/v3/devices/${boiler}/generate_config`;
    const { config } = (await admin.post<{ config: FakeDeviceConfig }>(path, { protocol: "MQTT" })).body;
    device = await connectFakeDevice(config);
    await device.sendProperties({});
    await device.sendTelemetry({ temperature: 48, heat_power: 0, alerts: ["dry"] });
    await admin.put(`/v3/sites/${site}/variables/price`, { value: 0.5 });
    const tariff = { currency: "EUR", versions: [{ import: { type: "fixed", price: 0.5 } }] };
    await admin.put(`/v3/sites/${site}/tariff`, tariff);
    await admin.put(`/v3/sites/${site}/variables/away`, { value: false });
  });
  afterAll(async () => {
    await device.close();
  });

  async function create(slug: string, text: string, more: object = {}): Promise<Rule> {
    const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3", language: "yaml" };
    const answer = await busbar.admin.post<{ rule: Rule }>(base, { slug, script, ...more });
    expect([slug, answer.status]).toEqual([slug, 200]);
    return answer.body.rule;
  }
  const read = async (slug: string) => (await busbar.admin.get<{ rule: Rule }>(`${base}/${slug}`)).body.rule;
  const textOf = ({ script }: Rule) => Buffer.from(script.code, "base64").toString();
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: PATIENCE, interval: 100 });
  /** Types into the editor in place of all that is there. */
  async function write(page: Tab, text: string, label = "Text of the rule"): Promise<void> {
    await page.getByRole("textbox", { name: label }).click();
    await page.keyboard.press("Control+A");
    // Text that replaces coloured words would bring their colours as inline styles, which the policy refuses.
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  }

  test(
    "a ready controller is set up, tried with the past, enabled, and its form opens again",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules`);
      await page.getByText("No rules yet").waitFor();
      await page.getByRole("link", { name: "Ready controllers" }).click();
      await page.getByRole("link", { name: "Cheap hours" }).click();
      await page.getByLabel("Device").selectOption("boiler");
      await page.getByLabel("Control *").selectOption("heat");
      // All that is missing is said at once, and only after somebody wanted to go on.
      await page.getByRole("button", { name: "Create, switched off" }).click();
      await page.getByText("value is needed").waitFor();
      await page.getByLabel("Value *").fill("2000");
      // What is wrong with several together is said once each is there.
      await page.getByText("cheapest or below is needed: what is cheap?").waitFor();
      await page.getByLabel("Cheap below").fill("0,6");
      await page.getByText("the price for import is below 0.6", { exact: false }).waitFor();
      await page.getByText("hold Heat of Boiler at 2000 W", { exact: false }).waitFor();
      await page.getByRole("button", { name: "Try it" }).click();
      await page.getByText(/It would have started (?:once|\d+ times)/).waitFor();
      await page.getByRole("slider", { name: "What it would have done, beside what happened" }).waitFor();
      await page.getByRole("button", { name: "Create and enable" }).click();
      await page.getByRole("heading", { name: "Cheap hours" }).waitFor();
      await page.getByText("Running", { exact: true }).waitFor();
      expect(await read("cheap-hours")).toMatchObject({ disabled: false, controller: { id: "cheap_hours" } });
      // What it claims, on its page and in the list; what it was set up with, in words.
      await page.getByText("Boiler, Heat: 2000 W", { exact: true }).waitFor();
      const setUp = page.locator("dl.pairs").first();
      // Names of devices and controls come with an answer of their own, after the rule's.
      await expect
        .poll(async () => (await setUp.innerText()).replace(/\s+/g, " "))
        .toContain("Device Boiler Control Heat (W) Value 2000");
      await page.getByRole("link", { name: "Rules", exact: true }).first().click();
      await page.locator("[data-rule=cheap-hours]").getByText("Boiler, Heat: 2000 W", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Cheap hours" }).click();

      await page.getByRole("link", { name: "Edit", exact: true }).click();
      await page.getByText("Set up by the controller “Cheap hours”.").waitFor();
      await expect.poll(() => page.getByLabel("Value *").inputValue()).toBe("2000");
      await page.getByLabel("Value *").fill("1500");
      await page.getByText("hold Heat of Boiler at 1500 W", { exact: false }).waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The rule is saved.").waitFor();
      expect((await read("cheap-hours")).controller?.parameters).toMatchObject({ value: 1500 });
      await busbar.admin.post(`${base}/cheap-hours/disable`, undefined);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a rule is written with mistakes, each at its line, and mended; the form writes into the same text; what it cannot show stays",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules/new`);
      await page.getByText("at 07:30").waitFor();
      await write(
        page,
        "# Kept.\nname: Warm water\nwhen: { device: boiler, atribute: temp, above: 90 }\nthen:\n  - { execute: set_heat, device: boiler, arguments: { power: 0 } }\n  - { notify: Hot }\n",
      );
      await page.getByText("Did you mean attribute?", { exact: false }).waitFor();
      await page
        .getByText(/line 3, column \d+/)
        .first()
        .waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Create, switched off" }).isDisabled()).toBe(true);
      await write(
        page,
        "# Kept.\nname: Warm water\nwhen: { device: boiler, attribute: temp, above: 90 }\nthen:\n  - { execute: set_heat, device: boiler, arguments: { power: 0 } }\n  - { notify: Hot }\n",
      );
      // An alias is as good as the name itself.
      await page.getByText("Temperature of Boiler is above 90 °C").waitFor();
      await page.getByText("Form", { exact: true }).click();
      const when = page.locator("[data-section=when]");
      await when.getByLabel("Value", { exact: false }).last().fill("85");
      await when.getByLabel("Value", { exact: false }).last().press("Tab");
      await page.getByText("Temperature of Boiler is above 85 °C").waitFor();
      await page
        .locator("[data-section=then]")
        .getByText("The form cannot show this part.", { exact: false })
        .waitFor();
      await page.getByLabel("Add below If").selectOption("variable");
      await page.locator("[data-section=if]").getByRole("combobox", { name: "Variable" }).selectOption("away");
      await page.getByText("the variable away is above 0").waitFor();
      await page.getByLabel("Short name").fill("warm-water");
      await page.getByRole("button", { name: "Create, switched off" }).click();
      await page.getByRole("heading", { name: "Warm water" }).waitFor();
      const stored = await read("warm-water");
      expect(stored.disabled).toBe(true);
      expect(textOf(stored)).toContain("# Kept.");
      expect(textOf(stored)).toContain("above: 85");
      expect(textOf(stored)).toContain("- { variable: away, above: 0 }");
      expect(textOf(stored)).toContain("arguments: { power: 0 }");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "two people change one rule: the second one is told, sees what is stored, and loses nothing",
    async () => {
      const text = (hours: number) => `name: Shared\nwhen: { every: ${hours}h }\nthen: { notify: x }\n`;
      const made = await create("shared", text(1), { disable: true });
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules/${made.id}/edit`);
      await page.getByText("every 1 h").waitFor();
      await write(page, text(2));
      await page.getByText("every 2 h").waitFor();
      const script = { code: Buffer.from(text(3)).toString("base64"), runtime_version: "V3", language: "yaml" };
      await busbar.admin.post(`${base}/shared/update_script`, { script });
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Somebody else has changed the rule meanwhile.", { exact: false }).waitFor();
      expect(textOf(await read("shared"))).toBe(text(3));
      // A reload brings the unsaved text back.
      await page.reload();
      await page.getByText("Unsaved changes of this tab were restored.").waitFor();
      await page.getByText("every 2 h").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await eventually(async () => expect(textOf(await read("shared"))).toBe(text(2)));
      await visitor.close();
    },
    LONG,
  );

  test(
    "a run is read from its trigger to its end, and lines of the log come by themselves",
    async () => {
      const made = await create(
        "reader",
        "name: Reader\nwhen: { every: 1s }\nif:\n  - { device: boiler, attribute: temperature, above: 10, max_age: 1h }\n  - { variable: away, equals: false }\nthen: { notify: It is warm. }\n",
      );
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules/${made.id}/runs`);
      const runs = page.getByRole("list", { name: "Runs" });
      await runs.getByRole("button").first().click();
      await page.getByText("every 1 s").waitFor();
      await page.getByText("boiler.temperature").first().waitFor();
      await expect.poll(() => page.locator(".evidence").first().textContent()).toMatch(/= 48.*old.*true/);
      await page.getByText("Did what stands below then").first().waitFor();
      await page.getByText("It is warm.").first().waitFor();

      await page.getByRole("link", { name: "Log", exact: true }).click();
      const lines = page.getByRole("list", { name: "Log" }).locator("> li");
      const before = await readAfter(lines, () => lines.count());
      await expect.poll(() => lines.count(), { timeout: PATIENCE }).toBeGreaterThan(before);
      await busbar.admin.delete(`${base}/reader`);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "on a German page ready controllers, what is wrong with them, and what runs say are German",
    async () => {
      const made = await create("sagt", "name: Sagt\nwhen: { every: 1s }\nthen: { notify: It is warm. }\n");
      const visitor = await world.signedIn({ locale: "de-DE" });
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules/controllers`);
      await page.getByRole("link", { name: "Günstige Stunden" }).click();
      await page.getByRole("heading", { name: "Günstige Stunden" }).waitFor();
      await page.getByRole("button", { name: "Anlegen", exact: false }).first().click();
      await page.getByText("Wert fehlt").waitFor();
      await visitor.go(`/sites/${site}/rules/${made.id}/runs`);
      await page.getByRole("list", { name: "Läufe" }).getByRole("button").first().click();
      await page.getByText("melden: It is warm.").waitFor();
      await page.getByText("ihre Zeit ist gekommen").first().waitFor();
      await busbar.admin.delete(`${base}/sagt`);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "on a phone a thumb disables a rule, several at once, and all of them",
    async () => {
      const one = await create("one", "name: Thumb one\nwhen: { at: '03:00' }\nthen: { notify: x }\n");
      await create("two", "name: Thumb two\nwhen: { at: '03:00' }\nthen: { notify: x }\n");
      const visitor = await world.signedIn({ width: 390 });
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules`);
      const toggle = page.getByRole("switch", { name: "Thumb one is enabled" });
      await toggle.click();
      await expect.poll(() => toggle.getAttribute("aria-checked")).toBe("false");
      await page.getByText("Thumb one is disabled.", { exact: false }).waitFor();
      expect((await read("one")).disabled).toBe(true);
      expect(await smallTargets(page)).toEqual([]);

      await page.getByRole("button", { name: "Choose several" }).click();
      await page.getByRole("checkbox", { name: "Choose Thumb one" }).check();
      await page.getByRole("checkbox", { name: "Choose Thumb two" }).check();
      await page.getByText("2 chosen").waitFor();
      await page.getByRole("button", { name: "Disable 1" }).click();
      await page.getByText("1 rule is disabled.").waitFor();
      expect((await read("two")).disabled).toBe(true);

      await page.getByRole("button", { name: "Suspend all rules" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Suspend all rules" }).click();
      await page.getByText("The rule engine is suspended", { exact: false }).waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
      await page.getByText("The rule engine is suspended", { exact: false }).waitFor({ state: "hidden" });
      // On its own page it says what it did, too.
      await visitor.move(`/sites/${site}/rules/${one.id}`);
      await page.getByRole("switch", { name: "Thumb one is enabled" }).click();
      await page.getByText("Thumb one is enabled.", { exact: true }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "what a rule reports is shown on any screen without taking the focus, and listed",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/devices`);
      await page.waitForSelector(".live.live", { state: "attached" });
      await page.getByRole("searchbox").first().focus();
      await create(
        "bell",
        "name: Bell\nwhen: { every: 5s }\nthen: { notify: It rings., title: Door, severity: warning }\n",
      );
      const note = page.getByRole("status").filter({ hasText: "Door: It rings." });
      await note.first().waitFor();
      await expect.poll(() => page.evaluate("document.activeElement?.type")).toBe("search");
      await busbar.admin.post(`${base}/bell/disable`, undefined);
      await note.getByRole("link", { name: "Notifications" }).first().click();
      const list = page.getByRole("list", { name: "Notifications" });
      await list.getByText("It rings.").first().waitFor();
      await list.getByText("Warning", { exact: false }).first().waitFor();
      await list.getByRole("link", { name: "from the rule bell" }).first().click();
      await page.getByRole("heading", { name: "Bell" }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "variables are added, set and deleted, and what is no number is not sent",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/variables`);
      await page.getByRole("button", { name: "Add a variable" }).click();
      await page.getByLabel("Name").fill("2nd");
      await page.getByLabel("Value").fill("many");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("This is no number", { exact: false }).waitFor();
      await page.getByLabel("Name").fill("limit");
      await page.getByLabel("Value").fill("0,25");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator("[data-variable=limit]").getByText("0.25").waitFor();
      await page.getByRole("button", { name: "Set limit" }).click();
      await page.getByLabel("Kind").selectOption("boolean");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator("[data-variable=limit]").getByText("no", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Delete limit" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.locator("[data-variable=limit]").waitFor({ state: "hidden" });
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "on a phone, the page of a rule sets the variables that it reads, also one that has no value yet",
    async () => {
      const text =
        "name: Both\nwhen: [{ variable: tank, above: 5 }, { variable: unset_yet, equals: true }]\nthen: { notify: x }\n";
      await busbar.admin.put(`/v3/sites/${site}/variables/tank`, { value: 1 });
      await busbar.admin.put(`/v3/sites/${site}/variables/unset_yet`, { value: true });
      const made = await create("both", text, { disable: true });
      await busbar.admin.delete(`/v3/sites/${site}/variables/unset_yet`);
      const visitor = await world.signedIn({ width: 390, locale: "de-DE" });
      const { page } = visitor;
      await visitor.go(`/sites/${site}/rules/${made.id}`);
      const tank = page.locator("[data-variable=tank]");
      await tank.getByRole("button", { name: "tank setzen" }).click();
      await tank.getByLabel("Wert").fill("7,5");
      expect(await smallTargets(page)).toEqual([]);
      await tank.getByRole("button", { name: "Speichern" }).click();
      await tank.getByText("= 7,5").waitFor();
      const unset = page.locator("[data-variable=unset_yet]");
      await unset.getByText("nicht gesetzt", { exact: false }).waitFor();
      await unset.getByRole("button", { name: "unset_yet setzen" }).click();
      await unset.getByLabel("Art").selectOption("boolean");
      await unset.getByLabel("Wert").selectOption("true");
      await unset.getByRole("button", { name: "Speichern" }).click();
      await unset.getByText("= ja").waitFor();
      const { body } = await busbar.admin.get<{ variables: { name: string; value: unknown }[] }>(
        `/v3/sites/${site}/variables`,
      );
      expect(body.variables).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: "tank", value: 7.5 }),
          expect.objectContaining({ name: "unset_yet", value: true }),
        ]),
      );
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "an alert, a value and a device each begin a rule that says what it is made from",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/alerts`);
      await page.getByRole("link", { name: "Runs dry" }).first().click();
      await page.getByRole("link", { name: "Make a rule from this" }).click();
      await page.getByText("the alert “Runs dry” of Boiler is active").waitFor();
      await visitor.go(`/devices/${boiler}`);
      await page.getByRole("link", { name: "Make a rule from this" }).first().click();
      await page.getByText("Boiler is offline", { exact: true }).first().waitFor();
      await visitor.go(`/devices/${boiler}`);
      await page.getByRole("button", { name: "Temperature", exact: false }).first().click();
      await page.locator(".curve").getByRole("link", { name: "Make a rule from this" }).click();
      await page.getByText(/Temperature of Boiler is above \d+ °C/).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "who may only look sees rules, runs, texts and variables, is offered nothing else, and reads why",
    async () => {
      const made = await create("seen", "name: Seen by all\nwhen: { at: '03:00' }\nthen: { notify: x }\n");
      const visitor = await world.signedIn({}, await busbar.token({ level: "readonly" }));
      const { page } = visitor;
      const main = page.locator("main");
      for (const path of [
        `rules`,
        `rules/${made.id}`,
        `rules/${made.id}/edit`,
        `variables`,
        `rules/controllers/cheap_hours`,
        `rules/new`,
      ]) {
        await visitor.go(`/sites/${site}/${path}`);
        const reason = page.getByText("Needs access level owner; yours is readonly.");
        const offered = /^(?:Save|Delete|Rename|Create|Set|Add|Suspend|Choose|Write)/;
        await lacks(main.getByRole("button", { name: offered }), reason);
        await lacks(main.getByRole("link", { name: "Write a rule" }), reason);
      }
      await visitor.go(`/sites/${site}/rules`);
      await expect.poll(() => page.getByRole("switch", { name: "Seen by all is enabled" }).isDisabled()).toBe(true);
      await visitor.go(`/sites/${site}/rules/${made.id}/edit`);
      await page.getByText("at 03:00").waitFor();
      await expect.poll(() => page.locator(".cm-content").getAttribute("contenteditable")).toBe("false");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "tests are written beside a rule, run, read step by step, mended and saved with it",
    async () => {
      const text =
        "name: Warm\nwhen: { device: boiler, attribute: temperature, above: 50 }\nthen: { claim: heat, device: boiler, target: 0 }\n";
      const made = await create("kept-tests", text, { disable: true });
      const visitor = await world.signedIn();
      const { page } = visitor;
      const tests = page.locator("[data-rule-test]");
      const run = tests.getByRole("button", { name: "Run the tests" });
      await visitor.go(`/sites/${site}/rules/${made.id}/edit`);
      // What the rule names is there already.
      await tests.getByRole("button", { name: "Write a test" }).click();
      await tests.getByText("boiler", { exact: false }).first().waitFor();
      await run.click();
      await tests.getByText("1 test passed").waitFor();

      const steps = (value: string) =>
        `devices:\n  boiler: {telemetry: {temperature: 40}, controls: {heat: W}}\nsteps:\n  - name: it gets warm\n    set: {boiler: {telemetry: {temperature: 60}}}\n    wait: 1m\n    expect: {claims: {boiler: {heat: ${value}}}}\n`;
      await write(page, steps("1000").replace("wait", "wiat"), "Text of the tests");
      await tests.getByRole("button", { name: /wiat/ }).waitFor();
      await tests.getByText("Mend the mistakes in the tests first.").waitFor();
      await expect.poll(() => run.isDisabled()).toBe(true);
      await write(page, steps("1000"), "Text of the tests");
      await expect.poll(() => run.isEnabled(), { timeout: PATIENCE }).toBe(true);
      // By the keyboard alone.
      await run.focus();
      await page.keyboard.press("Enter");
      await tests.getByText("1 of 1 tests failed").waitFor();
      await tests.getByRole("button", { name: "claim of boiler heat (line 7)" }).waitFor();
      await tests.getByText("expected 1000").waitFor();
      await tests.getByRole("button", { name: "it gets warm" }).waitFor();
      await tests.getByText("claims boiler heat 0").waitFor();
      await write(page, steps("0"), "Text of the tests");
      await tests.getByText("The text has changed since.").waitFor();
      await run.click();
      await tests.getByText("1 test passed").waitFor();

      // Unsaved tests outlive a reload, and are saved with the rule, which stays as it is.
      await page.reload();
      await tests.getByText("it gets warm").first().waitFor();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("The rule is saved.").waitFor();
      const saved = await read("kept-tests");
      expect(textOf(saved)).toBe(`${text}\n# tests:\n${steps("0").trimEnd().replaceAll(/^/gm, "# ")}\n`);
      await visitor.go(`/sites/${site}/rules/${made.id}/edit`);
      const rule = page.getByRole("textbox", { name: "Text of the rule" });
      await rule.getByText("name: Warm").waitFor();
      await lacks(rule.getByText("tests:"), tests.getByText("it gets warm"));
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test.each(ON_TABLET)(
    "axe finds nothing on a dry run, the form and the controllers at $width px, $scheme, $locale",
    async ({ width, scheme, locale }) => {
      const made = await create(
        `look-${width}-${scheme}-${locale.slice(0, 2)}`,
        "name: Look\nwhen: { device: boiler, attribute: temperature, above: 10, max_age: 1h }\nthen: [{ claim: heat, device: boiler, target: 0 }, { notify: Warm }]\nelse: { notify: Cold }\n",
        { disable: true },
      );
      const visitor = await world.signedIn({ width, scheme, locale, bypassCSP: true });
      const { page } = visitor;
      const found: unknown[] = [];
      const look = async (name: string) => {
        found.push(...(await wrongIn(visitor)).map((one) => [name, one]));
        if (width === 390) found.push(...(await smallTargets(page)).map((one) => [name, one]));
      };
      await visitor.go(`/sites/${site}/rules/${made.id}/edit?view=form`);
      await page.locator("[data-part=claim]").waitFor();
      await look("form");
      await visitor.go(`/sites/${site}/rules/${made.id}/edit`);
      const tryIt = page.locator("[data-dry-run] .row > button");
      await expect.poll(() => tryIt.isEnabled(), { timeout: PATIENCE }).toBe(true);
      await tryIt.click();
      await page.locator("[data-dry-run] .result").waitFor();
      const tests = page.locator("[data-rule-test]");
      await tests.locator(".spread + p > button").click();
      const run = tests.locator(".sides .primary");
      await expect.poll(() => run.isEnabled(), { timeout: PATIENCE }).toBe(true);
      await run.click();
      await tests.locator(".result").waitFor();
      await look("dry run and tests");
      expect(found).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
