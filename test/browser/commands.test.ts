// Commands and executions as people use them: with the keyboard alone, by forms, with confirmation, and when a device
// does not answer.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";
import { findViolations } from "./support/axe.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { useFakeSite } from "./support/fake-site.ts";
import { lacks, readAfter } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

inBrowser("commands", commands);

function commands(): void {
  // No machine is too slow for this; what a test wants to run out is made to.
  const clocks = createMovableClocks();
  const runOut = () => clocks.advance(301_000);
  const busbar = useServer(["--http-page", "--mqtt-port", "0", "--commands-response-timeout", "5m"], { clocks });
  const world = useWorld(busbar);
  const rig = useFakeSite(busbar);
  /** Once the device has been given as many commands, and the others have answered theirs. */
  const runOutFor = async (device: string, commands: number, others: readonly string[] = []) => {
    type Page = { readonly total_count: number; readonly executions: readonly { readonly state: string }[] };
    const read = async (of: string) =>
      (await busbar.admin.get<Page>(`/v3/devices/${of}/commands/executions?order=CREATED_AT_DESC&limit=1`)).body;
    const hasAnswered = async (of: string) => {
      const { total_count: count, executions } = await read(of);
      return count >= commands && /SUCCESS|ERROR/.test(executions[0]?.state ?? "");
    };
    await vi.waitUntil(async () => (await read(device)).total_count === commands, PATIENT);
    for (const other of others) await vi.waitUntil(() => hasAnswered(other), PATIENT);
    runOut();
  };
  const list = async () =>
    (await busbar.admin.get<{ total_count: number }>(`/v3/devices/${rig.id}/commands/executions?retention=ALL`)).body;

  test(
    "with the keyboard alone: find the device, run a command, read its result",
    async () => {
      rig.device.onCommand((command) =>
        command.name === "read_pressure" ? command.completed({ pressure: 12.5 }) : command.completed({ reached: 20 }),
      );
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${rig.site}`);
      await page.keyboard.press("Control+K");
      await page.getByRole("combobox", { name: "Search" }).waitFor();
      await page.keyboard.type("rig");
      await page.getByRole("option", { name: /^Rig/ }).first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/devices/${rig.id}`);
      await tabTo(page, "Commands");
      await page.keyboard.press("Enter");
      await tabTo(page, "Fill in: Set the pressure");
      await page.keyboard.press("Enter");
      // The device's own value stands in the form.
      await page.getByText("Current values of the device").waitFor();
      await tabTo(page, "Target *");
      await expect.poll(() => page.getByLabel("Target").inputValue()).toBe("12.5");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("20");
      await page.keyboard.press("Enter");
      const drawer = page.getByRole("dialog");
      await drawer.getByText("The device has done it.").waitFor();
      await expect.poll(() => drawer.textContent()).toMatch(/Reached\s*20\sbar/);
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
      // The values were read once, when the form was opened.
      expect(rig.device.commands.map(({ name }) => name)).toEqual(["read_pressure", "set_pressure"]);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a confirmation says what will be sent, and the focus is on what does nothing",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const before = (await list()).total_count;
      await visitor.go(`/devices/${rig.id}/commands`);
      await page.getByRole("button", { name: "Run: Vent" }).click();
      const dialog = page.getByRole("dialog", { name: "Open the valve?" });
      await dialog.getByText("Nobody may stand beside it.").waitFor();
      await dialog.getByText("Warning").waitFor();
      await expect.poll(() => focused(page)).toBe("Cancel");
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });
      expect((await list()).total_count).toBe(before);

      rig.device.onCommand((command) => command.error({ message: "the valve is stuck" }));
      await page.getByRole("button", { name: "Run: Vent" }).click();
      await dialog.getByRole("button", { name: "Run" }).click();
      const drawer = page.getByRole("dialog", { name: "Vent" });
      await drawer.getByText("The device reported an error.").waitFor();
      await drawer.getByText("the valve is stuck").first().waitFor();
      expect((await list()).total_count).toBe(before + 1);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a quick-access command runs in the card of its device: it asks, shows how far it is, and says what came of it",
    async () => {
      const seen = Promise.withResolvers<void>();
      rig.device.onCommand(async (command) => {
        await command.log({ percent: 40 });
        await seen.promise;
        await command.completed();
      });
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${rig.site}`);
      const quick = page.getByRole("group", { name: "Commands of Rig" });
      await quick.getByRole("button", { name: "Vent" }).click();
      const dialog = page.getByRole("dialog", { name: "Open the valve?" });
      await expect.poll(() => focused(page)).toBe("Cancel");
      await dialog.getByRole("button", { name: "Run" }).click();
      const result = page.locator(".commands").getByRole("status");
      await result.getByRole("progressbar", { name: "Vent" }).waitFor({ state: "attached" });
      seen.resolve();
      await result.getByText("Done").waitFor();
      // Nothing was opened over the overview.
      await lacks(page.getByRole("dialog"), result.getByText("Done"));
      expect(page.url()).toBe(`${busbar.url}/sites/${rig.site}`);

      rig.device.onCommand((command) => command.error({ message: "the valve is stuck" }));
      await quick.getByRole("button", { name: "Vent" }).click();
      await dialog.getByRole("button", { name: "Run" }).click();
      await result.getByText("the valve is stuck").waitFor();
      await result.getByRole("button", { name: "Details" }).click();
      await page.getByRole("dialog", { name: "Vent" }).getByText("The device reported an error.").waitFor();
      await page.keyboard.press("Escape");
      await result.getByRole("button", { name: "Hide this result" }).click();
      await result.getByText("the valve is stuck").waitFor({ state: "detached" });
      expect(visitor.complaints).toEqual([]);
      await visitor.close();

      // Whoever may not run it is not offered it.
      const user = await world.signedIn({}, await busbar.token({ level: "user" }));
      await user.go(`/sites/${rig.site}`);
      // The value is named by the manifest, as the commands are.
      const value = user.page.locator(".card", { has: user.page.locator("a.name") }).getByText(/[\d.]+\sbar/);
      await lacks(user.page.getByRole("button", { name: "Vent" }), value);
      await user.close();
    },
    LONG,
  );

  test(
    "a form takes every type; what is wrong is shown at its field, and the form and its JSON are the same",
    async () => {
      rig.device.onCommand((command) => command.completed());
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/devices/${rig.id}/commands/everything`);
      const run = page.getByRole("button", { name: "Run", exact: true });
      await page.getByLabel("Count").fill("11");
      await page.getByLabel("Host").fill("300.1.1.1");
      await run.click();
      await page.getByText("Is required").waitFor();
      await page.getByText("Must be at most 10, not 11").waitFor();
      await page.getByText("Must be written as ipv4, for example 192.0.2.7").waitFor();
      await expect.poll(() => focused(page)).toBe("Name *");

      await page.getByLabel("Name").fill("Nightly");
      await page.getByLabel("Count").fill("3");
      await page.getByLabel("Ratio").fill("0.5");
      await page.getByRole("radio", { name: "Yes" }).check();
      await page.getByLabel("Tags").fill("a\nb");
      await page.getByRole("checkbox", { name: "green" }).check();
      await page.getByLabel("Plan").fill('{"power": "much"}');
      await page.getByLabel("Host").fill("192.0.2.7");
      await page.getByLabel("PIN").fill("2468");
      // Only the server checks schemas; what it says stands at the field.
      await run.click();
      await page.getByLabel("Plan").and(page.locator("[aria-invalid=true]")).waitFor();
      await page.getByLabel("Plan").fill('{"power": 5}');

      await page.getByText("JSON", { exact: true }).click();
      const json = page.getByLabel("Values to send");
      await expect
        .poll(async () => JSON.parse(await json.inputValue()))
        .toEqual({
          name: "Nightly",
          count: 3,
          ratio: 0.5,
          flag: true,
          tags: ["a", "b"],
          colours: ["green"],
          plan: { power: 5 },
          host: "192.0.2.7",
        });
      await page.waitForURL(/view=json/);
      await page.getByText("Form", { exact: true }).click();
      await expect.poll(() => page.getByLabel("PIN").inputValue()).toBe("2468");
      const sent = rig.device.nextCommand("everything");
      await run.click();
      expect((await sent).arguments).toMatchObject({ name: "Nightly", pin: "2468", plan: { power: 5 } });
      const drawer = page.getByRole("dialog");
      await lacks(drawer.getByText("2468"), drawer.getByText("The device has done it."));
      // The schema was refused once, which the browser notes.
      expect(visitor.complaints.filter((one) => !one.includes("400"))).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a device that does not answer: nobody claims to know what it did",
    async () => {
      rig.device.onCommand(() => {});
      const visitor = await world.signedIn({ width: 360 });
      const { page } = visitor;
      await visitor.go(`/devices/${rig.id}/commands/read_pressure`);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      const drawer = page.getByRole("dialog");
      await drawer.getByText("Running", { exact: true }).waitFor();
      runOut();
      await drawer.getByText(/No answer in (.+); it may still have run/).waitFor();
      await rig.device.commands.at(-1)?.completed({ pressure: 9 });
      // A late answer still counts.
      await drawer.getByText("The device has done it.").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "executions: filters stand in the address, runs that are not kept can be seen, and a file holds what is shown",
    async () => {
      rig.device.onCommand((command) => command.completed());
      for (const ephemeral of [true, false]) {
        await busbar.admin.post(`/v3/devices/${rig.id}/commands/execute`, { name: "read_pressure", ephemeral });
      }
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${rig.site}/executions?name.in=read_pressure&state.in=SUCCESS`);
      const rows = page.locator("tbody tr");
      // All of them come with one answer.
      const kept = await readAfter(rows.first(), () => rows.count());
      await rows
        .filter({ hasText: /admin\s+with a token/ })
        .first()
        .waitFor();
      await page.getByText("Both", { exact: true }).click();
      await page.waitForURL(/retention=ALL/);
      await page.getByText("Not kept", { exact: true }).nth(1).waitFor();
      await expect.poll(() => rows.count()).toBeGreaterThan(kept);
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download CSV" }).click();
      const lines = (await readFile(await (await downloading).path(), "utf8")).trim().split("\r\n");
      expect(lines[0]?.split(",")[0]).toBe("id");
      await expect.poll(() => rows.count()).toBe(lines.length - 1);
      await rows.first().getByRole("link").first().click();
      await page.getByRole("dialog").getByText("The device has done it.").waitFor();
      await page.waitForURL(/execution=/);
      await page.keyboard.press("Escape");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "what the level does not allow is disabled, and says why",
    async () => {
      const visitor = await world.signedIn({ locale: "de-DE" }, await busbar.token({ level: "user" }));
      const { page } = visitor;
      await visitor.go(`/devices/${rig.id}/commands/vent`);
      await page.getByText("Braucht die Zugriffsstufe installer; Ihre ist user.").first().waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Ausführen", exact: true }).isDisabled()).toBe(true);
      await visitor.close();
    },
    LONG,
  );

  test(
    "what waits can be cancelled, many are seen, and a schedule with arguments is added, disabled and removed",
    async () => {
      const { admin } = busbar;
      const { blueprint_id } = (await admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${rig.id}`)).body
        .device;
      const away = (
        await admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
          name: "Away rig",
          slug: "away-rig",
          site_id: rig.site,
          blueprint_id,
        })
      ).body.device_id;
      // It goes on and on.
      let telling: NodeJS.Timeout | undefined;
      rig.device.onCommand((command) => {
        telling = setInterval(() => void command.log({ percent: 1 }), 500);
        return command.log({ percent: 1 });
      });
      const path = `/v3/devices/${rig.id}/commands/executions`;
      const { execution_id } = (await admin.post<{ execution_id: string }>(path, { name: "read_pressure" })).body;
      const visitor = await world.signedIn({ bypassCSP: true });
      const { page } = visitor;
      const asked = page.waitForResponse(/manifest\?view=ORIGINAL/);
      await visitor.go(`/sites/${rig.site}/executions?execution=${rig.id}:${execution_id}`);
      // Its blueprint names no command that cancels it, so nothing is offered.
      const drawer = page.getByRole("dialog");
      await (await asked).finished();
      await lacks(
        page.getByRole("button", { name: "Cancel the command" }),
        drawer.getByText("Running", { exact: true }),
      );
      clearInterval(telling);
      const waiting = (
        await admin.post<{ execution_id: string }>(`/v3/devices/${away}/commands/executions`, { name: "read_pressure" })
      ).body.execution_id;
      await visitor.move(`/sites/${rig.site}/executions?execution=${away}:${waiting}`);
      await page.getByRole("button", { name: "Cancel the command" }).click();
      await page.getByRole("button", { name: "Cancel the command" }).waitFor({ state: "detached" });
      const ended = await admin.get<{ execution: { state: string } }>(
        `/v3/devices/${away}/commands/executions/${waiting}`,
      );
      expect(ended.body.execution.state).not.toBe("NEW");
      await page.keyboard.press("Escape");
      const bulk = { name: "read_pressure", devices: { device_ids: [away] } };
      await admin.post("/v3/commands/bulk", bulk);
      await page.getByText("Many devices and schedules").click();
      await page.getByText("read_pressure").first().waitFor();
      await page.getByRole("button", { name: "Schedule a command" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Nightly reading");
      await page.getByLabel(/^Devices, by id/).fill("away-rig");
      await page.getByLabel("Command", { exact: true }).last().selectOption("set_pressure");
      const given = page.getByRole("group", { name: "What Set the pressure gets" });
      await given.getByLabel("Target").fill("5000");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await given.getByText(/^Must be at most 35/).waitFor();
      await given.getByLabel("Target").fill("20");
      await page.getByLabel(/^Minute, hour/).fill("61 * * * *");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText(/Invalid value for minute/).waitFor();
      await page.getByLabel(/^Minute, hour/).fill("30 2 * * *");
      expect(await findViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("button", { name: "Disable Nightly reading" }).click();
      const stored = await admin.get<{ schedules: readonly { bulk: { arguments: object } }[] }>(
        "/v3/commands/schedules",
      );
      expect(stored.body.schedules[0]?.bulk.arguments).toEqual({ pressure: 20, mode: "slow" });
      await page.getByRole("button", { name: "Enable Nightly reading" }).waitFor();
      // A schedule of each day stays one when only its name changes.
      await page.getByRole("button", { name: "Change Nightly reading" }).click();
      await page.getByLabel("When", { exact: true }).selectOption("daily");
      await page.getByLabel("At", { exact: true }).fill("06:15");
      await page.getByLabel("Days", { exact: true }).fill("mon, fri");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText(/^06:15 mon fri/).waitFor();
      await page.getByRole("button", { name: "Change Nightly reading" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Early reading");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Early reading").waitFor();
      const daily = await admin.get<{ schedules: readonly { cron: string | null; daily: object | null }[] }>(
        "/v3/commands/schedules",
      );
      expect(daily.body.schedules[0]).toMatchObject({ cron: null, daily: { at: "06:15", days: ["mon", "fri"] } });
      await page.getByRole("button", { name: "Remove Early reading" }).click();
      await page.getByText("Early reading").waitFor({ state: "detached" });
      const schedules = await admin.get<{ total_count: number }>("/v3/commands/schedules");
      expect(schedules.body.total_count).toBe(0);
      await admin.delete(`/v3/devices/${away}`);
      await visitor.close();
    },
    LONG,
  );

  test(
    "many devices at once: sorted, counted and chosen by keyboard, each with its own end, and the filter is saved for others",
    async () => {
      const { admin } = busbar;
      const { blueprint_id } = (await admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${rig.id}`)).body
        .device;
      const create = async (name: string) =>
        (
          await admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
            name,
            site_id: rig.site,
            blueprint_id,
          })
        ).body.device_id;
      const spare = await create("Spare rig");
      const silent = await create("Silent rig");
      const path = `/v3/devices/${spare}/generate_config`;
      const { config } = (await admin.post<{ config: FakeDeviceConfig }>(path, { protocol: "MQTT" })).body;
      const other = await connectFakeDevice(config);
      await other.sendTelemetry({ pressure: 3 });
      other.onCommand((command) => command.error({ message: "the inlet is closed" }));
      rig.device.onCommand((command) => command.completed({ reached: 20 }));
      const visitor = await world.signedIn({ bypassCSP: true });
      const { page } = visitor;
      const names = () => page.locator("tbody td[data-card=name] a").allTextContents();
      await visitor.go(`/sites/${rig.site}/devices?q=rig&group=none`);
      await page.getByText("3 of 4 shown").waitFor();
      await expect.poll(names).toEqual(["Rig", "Silent rig", "Spare rig"]);
      await page.getByRole("button", { name: "Value", exact: true }).click();
      await expect.poll(names).toEqual(["Rig", "Spare rig", "Silent rig"]);
      await expect.poll(() => page.locator("th[aria-sort=descending]").textContent()).toContain("Value");
      await page.getByRole("button", { name: /^Online/ }).click();
      await expect.poll(names).toEqual(["Rig", "Spare rig"]);
      await page.getByRole("button", { name: "Saved filters" }).click();
      await page.getByLabel("Name of this filter").fill("Rigs that run");
      await page.getByLabel("Everybody on this site sees it").check();
      await page.getByRole("button", { name: "Save this filter" }).click();
      await page.getByRole("button", { name: "Rigs that run", exact: true }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Online/ }).click();
      await expect.poll(names).toEqual(["Rig", "Spare rig", "Silent rig"]);

      await page.getByRole("button", { name: "Select", exact: true }).click();
      await page.getByRole("checkbox", { name: "Select Rig" }).focus();
      await page.keyboard.press("Space");
      for (const name of ["Spare rig", "Silent rig"]) {
        do await page.keyboard.press("Tab");
        while ((await page.evaluate("document.activeElement.ariaLabel")) !== `Select ${name}`);
        await page.keyboard.press("Space");
      }
      await page.getByText("3 selected").waitFor();
      await page.getByRole("button", { name: "Run a command" }).click();
      const dialog = page.getByRole("dialog", { name: "Run a command on 3 devices" });
      await dialog.getByLabel("Command").selectOption({ label: "Set the pressure" });
      await dialog.getByLabel("Target").fill("99");
      await dialog.getByRole("button", { name: "Run on 3 devices" }).click();
      // Nothing is sent before the values are right.
      await dialog.locator("[aria-invalid=true]").waitFor();
      await dialog.getByLabel("Target").fill("20");
      await dialog.getByRole("button", { name: "Run on 3 devices" }).click();
      await runOutFor(silent, 1, [rig.id, spare]);
      const rows = await readAfter(dialog.getByText("Set the pressure: 1 of 3 done, 2 not"), () =>
        dialog.locator("li").allTextContents(),
      );
      const end = (name: string) => rows.find((row) => row.trim().startsWith(name))?.replace(/\s+/g, " ");
      expect(end("Rig")).toMatch(/Done/);
      expect(end("Spare rig")).toMatch(/the inlet is closed.*Failed/);
      expect(end("Silent rig")).toMatch(/It may still have run.*Unclear/);
      expect(await findViolations(page)).toEqual([]);
      other.onCommand((command) => command.completed({ reached: 20 }));
      await dialog.getByRole("button", { name: "Try 2 again" }).click();
      await runOutFor(silent, 2, [spare]);
      await dialog.getByText("Set the pressure: 2 of 3 done, 1 not").waitFor();
      await dialog.getByRole("button", { name: "Close" }).last().click();

      await page.getByRole("button", { name: "Configure", exact: true }).click();
      const settings = page.getByRole("dialog", { name: "Configure 3 devices" });
      await settings.getByLabel("Settings").selectOption({ label: "Link" });
      await settings.getByLabel("Address").fill("192.0.2.7");
      await settings.getByRole("button", { name: "Save on 3 devices" }).click();
      await settings.getByText("Link: 3 of 3 done").waitFor();
      for (const id of [rig.id, spare, silent]) {
        const { body } = await admin.get<{ values: object }>(`/v3/devices/${id}/configuration/link`);
        expect(body.values).toMatchObject({ address: "192.0.2.7" });
      }
      await page.keyboard.press("Escape");

      const next = {
        blueprint_spec: "device/3.0",
        display_name: "Next rig",
        runtime: { type: "embedded" },
        telemetry: { pressure: { type: "float", unit: "bar", display_name: "Pressure" } },
      };
      const { blueprint } = (await admin.post<{ blueprint: { id: string } }>("/v3/blueprints/upload", next)).body;
      await page.getByRole("checkbox", { name: "Select Rig" }).uncheck();
      await page.getByRole("button", { name: "Assign a blueprint" }).click();
      const assigning = page.getByRole("dialog", { name: "Assign a blueprint to 2 devices" });
      await assigning.getByLabel("Blueprint").selectOption({ label: "Next rig, version 1" });
      // Somebody else deletes one of them meanwhile.
      expect((await admin.delete(`/v3/devices/${silent}`)).status).toBe(200);
      await assigning.getByRole("button", { name: "Assign to 2 devices" }).click();
      await assigning.getByText("Next rig, version 1: 1 of 2 done, 1 not").waitFor();
      await expect
        .poll(() => assigning.locator("li").allTextContents())
        .toEqual([expect.stringMatching(/Silent rig.*Failed/s), expect.stringMatching(/Spare rig.*Done/s)]);
      const assigned = async (device: string) =>
        (await admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${device}`)).body.device.blueprint_id;
      expect([await assigned(spare), await assigned(rig.id)]).toEqual([blueprint.id, blueprint_id]);
      await page.keyboard.press("Escape");

      const reader = await world.signedIn({ width: 390 }, await busbar.token({ level: "readonly" }));
      await reader.go(`/sites/${rig.site}/devices`);
      const filters = reader.page.getByRole("button", { name: "Saved filters" });
      await lacks(reader.page.getByRole("button", { name: "Select", exact: true }), filters);
      await filters.click();
      await reader.page.getByRole("button", { name: "Rigs that run", exact: true }).click();
      await reader.page.waitForURL(/connectivity=ONLINE/);
      await reader.page.getByText("2 of 3 shown").waitFor();
      expect([...visitor.complaints, ...reader.complaints]).toEqual([]);
      await other.close();
      await visitor.close();
      await reader.close();
    },
    LONG,
  );
}

/** Presses Tab until the focus is on the control of this name, as somebody without a mouse does. */
async function tabTo(page: Page, name: string): Promise<void> {
  await page
    .getByText(name.replace(/^.*: | \*$/g, ""))
    .first()
    .waitFor();
  for (let presses = 0; presses < 120; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** The name of the control that has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const element = document.activeElement;
    const label = element?.labels?.[0]?.textContent;
    return (element?.getAttribute("aria-label") ?? label ?? element?.textContent ?? "").replaceAll("\\u00a0", " ").trim();
  })()`);
}
