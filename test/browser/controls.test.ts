// Who controls what: a person takes over from a program on the page and gives back; others only look.
import type { Page as Tab } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Control, Interlock, Site } from "#client/resources.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { ON_PHONE, wrongIn } from "./support/looks.ts";
import { smallTargets } from "./support/measure.ts";
import { lacks } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Cellar battery
category: battery-systems
runtime: {type: embedded}
implements: [device.relay]
telemetry:
  battery_power: {type: float, unit: W, display_name: Power}
  relay_closed: {type: boolean, display_name: Contact is closed}
command_groups: {main: {display_name: Main}}
commands:
  set_battery_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: W, min: -5000, max: 5000, required: true, display_name: Battery power}
  set_relay:
    group: main
    display_name: Set relay
    arguments:
      closed: {type: boolean, required: true, display_name: Fan}
.busbar:
  controls:
    battery_power: {command: set_battery_power, argument: power, reads: battery_power, fallback: {value: 0}}
`;

inBrowser("controls", controls);

function controls(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  let site = "";
  let battery = "";
  let device: FakeDevice;
  /** Whether the device does what it is told. */
  let isObedient = true;
  let program = busbar.anonymous;

  beforeAll(async () => {
    const { admin } = busbar;
    site = (await admin.post<{ site: Site }>("/v3/sites", { name: "Yard", timezone: "Europe/Berlin" })).body.site.id;
    const uploaded = await admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
      bytes: MANIFEST,
    });
    const body = { name: "Cellar", site_id: site, blueprint_id: uploaded.body.blueprint.id };
    battery = (await admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
    const path = `/v3/devices/${battery}/generate_config`;
    const { config } = (await admin.post<{ config: FakeDeviceConfig }>(path, { protocol: "MQTT" })).body;
    device = await connectFakeDevice(config);
    device.onCommand(async (command) => {
      await command.completed();
      const { power, closed } = command.arguments;
      const values = {
        ...(power !== undefined && { battery_power: power }),
        ...(closed !== undefined && { relay_closed: closed }),
      };
      if (isObedient) await device.sendTelemetry(values);
    });
    await device.sendProperties({});
    await device.sendTelemetry({ battery_power: 120, relay_closed: false });
    program = busbar.as(await busbar.token({ name: "Night program", level: "user" }));
  });
  afterAll(async () => {
    await device.close();
  });

  const path = (control: string) => `/v3/devices/${battery}/controls/${control}`;
  const claim = async (body: object, control = "battery_power") =>
    (
      await program.post<{ control: Control }>(`${path(control)}/claims`, {
        reason: "Cheap hours",
        lease: "30m",
        ...body,
      })
    ).body.control;
  const read = async (control = "battery_power") =>
    (await busbar.admin.get<{ control: Control }>(path(control))).body.control;
  /** Ends all claims, so that a test begins with a free control. */
  async function release(): Promise<void> {
    for (const control of ["battery_power", "relay"]) {
      const { winner, losers, limited_by } = await read(control);
      const all = new Set([winner, ...losers, ...limited_by].flatMap((one) => one?.id ?? []));
      for (const id of all) await busbar.admin.delete(`${path(control)}/claims/${id}`);
    }
  }
  beforeEach(release);
  const cardOf = (page: Tab, name: string) =>
    page.locator("[data-controls] section").filter({ has: page.getByRole("heading", { name, exact: true }) });
  const powers = () =>
    device.commands.filter(({ name }) => name === "set_battery_power").map((command) => command.arguments["power"]);
  const eventually = (check: () => void) => vi.waitFor(check, { timeout: PATIENCE, interval: 50 });

  test(
    "a person takes over from a program, the device follows, and after giving back the program has it again",
    async () => {
      const visitor = await world.signedIn({}, await busbar.token({ name: "Anna", level: "user" }));
      const { page } = visitor;
      await visitor.go(`/devices/${battery}`);
      const card = cardOf(page, "Battery power");
      await card.getByText("Nobody controls it").waitFor();
      await card.getByText("measured 120 W").waitFor();

      // A rule, seen as it happens. A person counts before it, and it waits.
      await claim({ class: "rule", value: 2500 });
      await card.getByText("Rule: Night program").waitFor();
      await card.getByText("“Cheap hours”").waitFor();
      await card.getByText("Followed", { exact: true }).waitFor();
      await eventually(() => expect(powers().at(-1)).toBe(2500));
      await card.getByText("What you set counts before Night program").waitFor();
      await card.getByRole("textbox", { name: "New value", exact: true }).fill("-800");
      await card.getByLabel("Until").selectOption("15m");
      await card.getByLabel("Why (optional)").fill("Guests");
      await card.getByRole("button", { name: "Take over" }).click();
      await card.getByText(/^You control it until \d\d:\d\d\.$/).waitFor();
      await card.getByText("Person: you").waitFor();
      await card.getByText("in the page").waitFor();
      await eventually(() => expect(powers().at(-1)).toBe(-800));
      await card.getByText("Followed", { exact: true }).waitFor();
      expect(await read()).toMatchObject({
        value: -800,
        winner: { class: "person", source_name: "Anna", reason: "Guests" },
      });
      await card.getByText("1 that does not count now").click();
      await card.getByText("Rule: Night program").waitFor();
      await card.getByRole("button", { name: "Give back" }).click();
      await card.getByText("You have given it back.").waitFor();
      await card.getByText("Rule: Night program").waitFor();
      await eventually(() => expect(powers().at(-1)).toBe(2500));

      // The same as a person: who came first counts, until somebody takes over.
      await release();
      await card.getByText("Nobody controls it").waitFor();
      await claim({ value: 1000 });
      await card.getByText("Person: Night program").waitFor();
      await card.getByText("Taking over ends what Night program asked for.").waitFor();
      await card.getByRole("textbox", { name: "New value", exact: true }).fill("0");
      await card.getByRole("button", { name: "Take over" }).click();
      await card.getByText("Person: you").waitFor();
      await eventually(() => expect(powers().at(-1)).toBe(0));
      expect(await read()).toMatchObject({ value: 0, winner: { source_name: "Anna" }, losers: [] });
      await card.getByRole("button", { name: "Give back" }).click();
      await card.getByText("Nobody controls it").waitFor();
      await claim({ value: 1500 });
      await card.getByText("Person: Night program").waitFor();
      await eventually(() => expect(powers().at(-1)).toBe(1500));
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "with the keyboard alone: a slider, a switch, and what is wrong is said in place",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/devices/${battery}`);
      const power = cardOf(page, "Battery power");
      await power.getByRole("textbox", { name: "New value", exact: true }).fill("6000");
      await page.keyboard.press("Enter");
      await power.getByText("The highest value is 5000 W.").waitFor();
      expect((await read()).winner).toBeNull();
      await power.getByRole("textbox", { name: "New value", exact: true }).fill("1000");
      await power.getByRole("slider").focus();
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => power.getByRole("textbox", { name: "New value", exact: true }).inputValue()).toBe("1050");
      await power.getByLabel("Until").selectOption("chosen");
      await power.getByRole("button", { name: "Set" }).focus();
      await page.keyboard.press("Enter");
      await power.getByText("Choose a time that is still to come.").waitFor();
      await power.getByLabel("Time", { exact: true }).fill("2099-01-01T00:00");
      await power.getByRole("button", { name: "Set" }).focus();
      await page.keyboard.press("Enter");
      await power.getByText("Choose a time within the next 7 days.").waitFor();
      await power.getByLabel("Until").selectOption("midnight");
      await power.getByRole("button", { name: "Set" }).focus();
      await page.keyboard.press("Enter");
      await power.getByText("Person: you").waitFor();
      const { winner } = await read();
      expect(winner?.value).toBe(1050);
      // The midnight of the site, not of the machine. A lease begins when its call comes, which takes as long as it takes.
      expect(new Date(winner?.lease_until ?? 0).toLocaleTimeString("de-DE", { timeZone: "Europe/Berlin" })).toMatch(
        /^(23:59|00:0\d):/,
      );

      const fan = cardOf(page, "Fan");
      await fan.getByRole("radio", { name: "Off" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await fan.getByText("On", { exact: true }).first().waitFor();
      await eventually(() => expect(device.commands.at(-1)?.arguments).toEqual({ closed: true }));

      // A limit of somebody who counts more, and what the server refuses.
      const grid = busbar.as(await busbar.token({ name: "Grid box", level: "installer" }));
      await grid.post(`${path("battery_power")}/claims`, {
        class: "grid",
        kind: "max",
        value: 0,
        reason: "Too much sun",
        lease: "10m",
      });
      await power.getByText("at most 0 W").waitFor();
      await power.getByText("Grid operator: Grid box").waitFor();
      await power.getByRole("textbox", { name: "New value", exact: true }).fill("700");
      await power.getByText("Limits of others will hold it at 0 W.").waitFor();
      await page.route("**/claims", (route) =>
        route.fulfill({
          status: 409,
          json: { errors: [{ code: "conflict", message: "the device has too many claims" }] },
        }),
      );
      await power.getByRole("button", { name: "Change" }).click();
      await power.getByRole("alert").getByText("The device has too many claims").waitFor();
      await page.unroute("**/claims");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "who may not run the command sees everything and is offered nothing",
    async () => {
      isObedient = false;
      await claim({ value: 2000, reason: "No reason" });
      const visitor = await world.signedIn({}, await busbar.token({ level: "readonly" }));
      const { page } = visitor;
      await visitor.go(`/devices/${battery}`);
      const card = cardOf(page, "Battery power");
      await lacks(
        page.locator("[data-controls] :is(input, select, button:not(.pin))"),
        card.getByText("Person: Night program"),
      );
      await visitor.move(`/sites/${site}/controls`);
      await page.getByRole("link", { name: "Battery power · Cellar" }).click();
      const dialog = page.getByRole("dialog");
      await lacks(dialog.locator("input, select, form"), dialog.getByText("“No reason”"));
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
      isObedient = true;
    },
    LONG,
  );

  test(
    "the site lists what is controlled and all that can be, opens a control in place, and so do its card and its tile",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/controls`);
      await page.getByText("Nobody controls anything now").waitFor();
      await page.getByRole("button", { name: "Show all controls" }).click();
      await page
        .getByRole("row", { name: /Fan · Cellar/ })
        .getByText("Free")
        .waitFor();
      await page.getByLabel("Search controls").fill("battery");
      await page.getByRole("row", { name: /Fan/ }).waitFor({ state: "detached" });
      await page.getByText("Controlled now", { exact: true }).click();
      await claim({ class: "plan", value: 300 });
      const row = page.getByRole("row", { name: /Battery power · Cellar/ });
      await row.getByText("Plan: Night program").waitFor();
      await row.getByRole("link").click();
      const dialog = page.getByRole("dialog", { name: "Battery power · Cellar" });
      await dialog.getByRole("button", { name: "Take over" }).click();
      await dialog.getByText("Person: you").waitFor();
      await dialog.getByText("What controlled it before").click();
      await dialog.locator("details").last().locator("li").filter({ hasText: "Plan: Night program" }).first().waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await row.getByText(/Person: you\s+in the page/).waitFor();

      await visitor.move(`/sites/${site}`);
      await page.locator("[data-seen]").first().scrollIntoViewIfNeeded();
      const group = page.getByRole("group", { name: "Controls of Cellar" });
      await group.getByRole("button", { name: /Battery power 300 W Person: you/ }).click();
      await dialog.getByRole("button", { name: "Give back" }).click();
      await dialog.getByText("Plan: Night program").waitFor();
      await page.keyboard.press("Escape");
      await group.getByRole("button", { name: /Battery power 300 W Plan: Night program/ }).waitFor();

      await visitor.move(`/devices/${battery}`);
      await page.getByRole("button", { name: "Pin Battery power to a dashboard" }).click();
      const pin = page.getByRole("dialog", { name: "Pin to a dashboard" });
      await pin.getByRole("button", { name: "Pin to a new one" }).click();
      await page.getByText("Battery power is on").waitFor();
      await visitor.move(`/sites/${site}/dashboards`);
      const tile = page.locator('[data-kind="control"]');
      await tile.getByRole("heading", { name: "Battery power" }).waitFor();
      await tile.getByRole("button", { name: /300 W/ }).click();
      await dialog.getByText("Plan: Night program").waitFor();
      await page.keyboard.press("Escape");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "Explore shows who controlled what as bands, says so at the cursor, and lists it in the table",
    async () => {
      await claim({ class: "rule", value: 2500 });
      await eventually(() => expect(powers().at(-1)).toBe(2500));
      const person = busbar.as(await busbar.token({ name: "Anna", level: "user" }));
      await person.post(`${path("battery_power")}/claims`, { value: -100, reason: "Guests" });
      await eventually(() => expect(powers().at(-1)).toBe(-100));
      const visitor = await world.signedIn({ bypassCSP: true });
      const { page } = visitor;
      const chart = `/sites/${site}/explore?series=${battery}:battery_power&range=5m`;
      await visitor.go(chart);
      const strip = page.locator('[data-control-strip="battery_power"]');
      await strip.getByText("Cellar · Battery power").waitFor();
      await page.getByRole("group", { name: /^Chart/ }).focus();
      // From the end of the range, where the person has it, as the keys go. The longer that lasts, the longer is the band.
      let presses = 0;
      await expect
        .poll(async () => {
          presses += 1;
          await page.keyboard.press(presses % 30 === 0 ? "Escape" : "ArrowLeft");
          return await strip.textContent();
        })
        .toContain("Person: Anna, −100 W, “Guests”");
      await page.locator("[role=status]").getByText("Cellar Battery power Person: Anna").waitFor({ state: "attached" });
      expect(await wrongIn(visitor, "main")).toEqual([]);
      await visitor.move(`${chart}&view=table`);
      const table = page.getByRole("table", { name: "Who controlled what" });
      await table.getByRole("row", { name: /Battery power · Cellar Person: Anna −100 W/ }).waitFor();
      await table
        .getByRole("row", { name: /Rule: Night program 2500 W/ })
        .first()
        .waitFor();
      expect(await wrongIn(visitor, "main")).toEqual([]);
      await visitor.move(`${chart}&controls=off`);
      await page.locator(".uplot").waitFor();
      await strip.waitFor({ state: "detached" });
      await visitor.close();
    },
    LONG,
  );

  test(
    "the site shows its interlocks: what each holds now and why, and a control says who limits it",
    async () => {
      const { status } = await busbar.admin.put(`/v3/sites/${site}/interlocks/fan-runs`, {
        kind: "condition",
        display_name: "Quiet while the fan runs",
        when: { device: battery, attribute: "relay_closed", equals: true },
        limits: [{ device: battery, control: "battery_power", max: 500 }],
        stale_after: "1h",
      });
      expect(status).toBe(200);
      await claim({ class: "rule", value: 2000 });
      await claim({ value: 1 }, "relay");
      const visitor = await world.signedIn({ bypassCSP: true }, await busbar.token({ level: "user" }));
      const { page } = visitor;
      await visitor.go(`/sites/${site}/controls`);
      const lock = page.locator('[data-interlock="fan-runs"]');
      await lock.getByText("Quiet while the fan runs").waitFor();
      await lock.getByText("Limits", { exact: true }).waitFor();
      await lock.getByText("Cellar, battery_power: at most 500 W").waitFor();
      await page.getByRole("link", { name: "Battery power · Cellar" }).click();
      await page.getByRole("dialog").getByText("at most 500 W").waitFor();
      await page
        .getByRole("dialog")
        .getByText(/^Interlock: /)
        .waitFor();
      expect(await wrongIn(visitor)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await lacks(page.getByRole("button", { name: /interlock|Quiet/ }), lock.getByText("Quiet while the fan runs"));
      await visitor.close();
      await busbar.admin.delete(`/v3/sites/${site}/interlocks/fan-runs`);
    },
    LONG,
  );

  test(
    "an owner writes an interlock with the problems at once, changes it in spite of another, removes it, and ends a claim",
    async () => {
      const stored = () => busbar.admin.get<{ interlock: Interlock }>(`/v3/sites/${site}/interlocks/no-charge`);
      const visitor = await world.signedIn({ bypassCSP: true });
      const { page } = visitor;
      await visitor.go(`/sites/${site}/controls`);
      await page.getByRole("button", { name: "Add an interlock" }).click();
      const form = page.locator("form").filter({ has: page.getByRole("textbox", { name: "Interlock as YAML" }) });
      const text = form.getByRole("textbox", { name: "Interlock as YAML" });
      await form.getByText("The server finds nothing wrong with it.").waitFor();
      expect(await wrongIn(visitor)).toEqual([]);
      const write = async (words: string) => {
        await text.click();
        await page.keyboard.press("Control+A");
        await page.keyboard.insertText(words);
      };
      const condition = (attribute: string, max: number) =>
        `kind: condition\ndisplay_name: No charge\nwhen: { device: ${battery}, attribute: ${attribute}, above: 100 }\nstale_after: 1h\nlimits:\n  - { device: ${battery}, control: battery_power, max: ${max} }\n`;
      await write("kind: [");
      await form
        .getByText(/^line 1, column/)
        .first()
        .waitFor();
      await write(condition("nonsense", 0));
      await form.getByText(/^line 3, column/).waitFor();
      await form.getByText("unknown_attribute").waitFor();
      await expect.poll(() => form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
      await write(condition("battery_power", 0));
      await form.getByText("The server finds nothing wrong with it.").waitFor();
      await form.getByLabel("Name").fill("No charge!");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("1 to 60 of the letters a to z").nth(1).waitFor();
      await form.getByLabel("Name").fill("no-charge");
      await form.getByRole("button", { name: "Save" }).click();
      const lock = page.locator('[data-interlock="no-charge"]');
      await lock.getByText("No charge", { exact: true }).waitFor();
      expect((await stored()).body.interlock).toMatchObject({ revision: 1, document: { kind: "condition" } });

      // Somebody else is faster.
      await lock.getByRole("button", { name: "Change No charge" }).click();
      await form.getByText("The server finds nothing wrong with it.").waitFor();
      const other = { ...(await stored()).body.interlock.document, display_name: "Theirs" };
      expect((await busbar.admin.put(`/v3/sites/${site}/interlocks/no-charge`, other)).status).toBe(200);
      await write(condition("battery_power", 50));
      await form.getByText("The server finds nothing wrong with it.").waitFor();
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("Somebody else has changed it meanwhile.").waitFor();
      await form.getByRole("button", { name: "Save mine" }).click();
      await form.waitFor({ state: "detached" });
      expect((await stored()).body.interlock).toMatchObject({ revision: 3, document: { limits: [{ max: 50 }] } });
      await lock.getByRole("button", { name: "Remove No charge" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await lock.waitFor({ state: "detached" });
      expect((await stored()).status).toBe(404);

      await claim({ class: "rule", value: 2500 });
      await visitor.move(`/devices/${battery}`);
      const card = cardOf(page, "Battery power");
      await card.getByRole("button", { name: "End it: Rule: Night program" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
      await card.getByText("Nobody controls it").waitFor();
      expect((await read()).winner).toBeNull();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test.each(ON_PHONE)(
    "at $width px in $scheme in $locale axe finds nothing, everything fits, and a thumb reaches it",
    async (look) => {
      await claim({ class: "rule", value: 400 });
      await claim({ value: 1 }, "relay");
      const visitor = await world.signedIn({ ...look, bypassCSP: true });
      const { page } = visitor;
      const found: unknown[] = [];
      for (const address of [
        `/devices/${battery}`,
        `/sites/${site}/controls`,
        `/sites/${site}/controls?control=${battery}:battery_power`,
      ]) {
        await visitor.move(address);
        await page
          .getByText(/: Night program/)
          .first()
          .waitFor();
        found.push(...(await wrongIn(visitor)));
        if (look.width === 390) found.push(...(await smallTargets(page)));
      }
      await visitor.move(`/sites/${site}/controls`);
      await page.getByRole("button", { name: /^(Add an interlock|Verriegelung anlegen)$/ }).click();
      await page.getByText(/(finds nothing wrong|findet nichts Falsches)/).waitFor();
      found.push(...(await wrongIn(visitor)));
      if (look.width === 390) found.push(...(await smallTargets(page)));
      expect(found).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
