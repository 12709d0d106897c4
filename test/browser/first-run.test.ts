// A new installation: the page asks once for the name and the time zone of its site, and groups devices by category.
import { beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Device, Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { lacks } from "./support/seen.ts";

inBrowser("first run", firstRun);

const QUESTION = "What is this site called, and where is it?";

function firstRun(): void {
  const world = useWorld(useServer(["--http-page", "--mqtt-port", "0"]));
  const { busbar } = world;
  const readSite = async () => (await busbar.admin.get<Page<"sites", Site>>("/v3/sites")).body.sites[0];
  let id = "";

  beforeAll(async () => {
    id = (await readSite())?.id ?? "";
  });

  const findings = createFindings();

  test("whoever may not change the site is not asked", { timeout: PATIENCE }, async () => {
    const guest = await world.signedIn({}, await busbar.token({ level: "user" }));
    await guest.go(`/sites/${id}`);
    await lacks(guest.page.getByText(QUESTION), guest.page.getByRole("heading", { name: "My site" }));
    await guest.close();
  });

  test("the page asks for name and time zone, by keyboard and on a phone, and never again", {
    timeout: 3 * PATIENCE,
  }, async () => {
    const visitor = await world.signedIn({ bypassCSP: true });
    const { page } = visitor;
    await visitor.go(`/sites/${id}`);
    await page.getByRole("heading", { name: QUESTION }).waitFor();
    expect(await findings(visitor)).toEqual([]);
    const [name, zone] = [page.getByLabel("Name of the site"), page.getByLabel("Time zone")];
    await expect.poll(() => name.inputValue()).toBe("My site");
    await name.fill("");
    await zone.fill("Mars/Phobos");
    await zone.press("Enter");
    await page.getByText("Give the site a name.").waitFor();
    await page.getByText("There is no such time zone.").waitFor();
    // The first mistake has the focus.
    await page.keyboard.type("Dairy");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Asia/Kathmandu");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Upper valley");
    await page.keyboard.press("Tab");
    await page.keyboard.type("127,7");
    await page.keyboard.press("Enter");
    await page.getByText("Give a number from −90 to 90").waitFor();
    await page.getByText("Give a number from −180 to 180").waitFor();
    await page.context().grantPermissions(["geolocation"]);
    await page.context().setGeolocation({ latitude: 27.7172453, longitude: 85.3239605 });
    await page.getByRole("button", { name: "Use this device's position" }).click();
    await expect.poll(() => page.getByLabel("Longitude").inputValue()).toBe("85.32396");
    await page.getByLabel("Longitude").press("Enter");
    await page.getByRole("heading", { name: "Dairy" }).waitFor();
    await page.getByText(QUESTION).waitFor({ state: "hidden" });
    expect(await readSite()).toMatchObject({
      name: "Dairy",
      timezone: "Asia/Kathmandu",
      location: { name: "Upper valley", latitude: 27.71725, longitude: 85.32396 },
    });
    expect(await readSite()).not.toHaveProperty("timezone_assumed");
    await visitor.go(`/sites/${id}`);
    await lacks(page.getByText(QUESTION), page.getByRole("heading", { name: "Dairy" }));
    // Later it is changed where the site is.
    await page.getByRole("button", { name: "Site settings" }).click();
    const settings = page.getByRole("dialog", { name: "Site settings" });
    for (const label of ["Place", "Latitude", "Longitude"]) await settings.getByLabel(label).fill("");
    expect(await findings(visitor)).toEqual([]);
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.waitFor({ state: "detached" });
    expect(await readSite()).not.toHaveProperty("location");
    await visitor.close();
  });

  test("the page asks which meter is the grid's and what another one measures, and its picture is complete afterwards", {
    timeout: 3 * PATIENCE,
  }, async () => {
    const create = async (name: string, attribute: string) => {
      const telemetry = { [attribute]: { type: "float", unit: "W", display_name: "Power" } };
      const manifest = { blueprint_spec: "device/3.0", display_name: name, category: "power-meters", telemetry };
      const text = { ...manifest, runtime: { type: "embedded" } };
      const { body: made } = await busbar.admin.post<{ blueprint: { id: string } }>("/v3/blueprints/upload", text);
      const wanted = { name, site_id: id, blueprint_id: made.blueprint.id };
      return (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted)).body.device_id;
    };
    const main = await create("Main meter", "grid_power");
    const barn = await create("Barn meter", "grid_power");
    const pump = await create("Pump meter", "power");
    const roleOf = async (device: string) =>
      (await busbar.admin.get<{ device: Device }>(`/v3/devices/${device}`)).body.device.energy_role;
    const visitor = await world.signedIn({ bypassCSP: true });
    const { page } = visitor;
    await visitor.go(`/sites/${id}`);
    const ASKED = "What is what in the energy of this site?";
    await page.getByRole("heading", { name: ASKED }).waitFor();
    await expect.poll(() => page.getByText("Several meters could be the grid's").count()).toBe(2);
    await expect.poll(() => page.getByText("It measures power; what of?").count()).toBe(1);
    expect(await findings(visitor)).toEqual([]);
    await page.getByLabel("Part of Main meter in the energy").selectOption("meter of the grid");
    await page.getByText("Several meters could be the grid's").first().waitFor({ state: "detached" });
    await page.getByLabel("Part of Pump meter in the energy").selectOption("load");
    await page.getByRole("heading", { name: ASKED }).waitFor({ state: "detached" });
    expect([await roleOf(main), await roleOf(barn), await roleOf(pump)]).toEqual(["grid", undefined, "load"]);
    // It can be changed later, where the device is.
    await visitor.go(`/devices/${barn}`);
    await page.getByLabel("Part of Barn meter in the energy").selectOption("no part in it");
    await expect.poll(() => roleOf(barn)).toBe("none");
    expect(visitor.complaints).toEqual([]);
    for (const device of [main, barn, pump]) await busbar.admin.delete(`/v3/devices/${device}`);
    await visitor.close();
  });

  /** Names of groups with their devices, as they stand on the page. */
  const GROUPS = `[...document.querySelectorAll("main tbody, main section[aria-labelledby]")].map((group) =>
    group.querySelector("h2, h3").textContent + ": " +
    [...group.querySelectorAll("td:first-child a, .name")].map((one) => one.textContent.trim()).join(", "))`;

  test("the table, the cards, the tree and the overview group devices by category", {
    timeout: 3 * PATIENCE,
  }, async () => {
    const create = async (name: string, category: string | undefined, parent?: string) => {
      const manifest = { blueprint_spec: "device/3.0", display_name: name, category, runtime: { type: "embedded" } };
      const { body: made } = await busbar.admin.post<{ blueprint: { id: string } }>("/v3/blueprints/upload", manifest);
      const wanted = { name, site_id: id, blueprint_id: made.blueprint.id };
      const { body } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted);
      if (parent !== undefined) await busbar.admin.patch(`/v3/devices/${body.device_id}`, { parent_id: parent });
      return body.device_id;
    };
    await create("Kettle", "loads");
    const roof = await create("Roof", "solar-generators");
    await create("Oddity", undefined);
    await create("Barn roof", "solar-generators");
    await create("Panel sensor", "sensors", roof);
    const visitor = await world.signedIn({ bypassCSP: true });
    const { page } = visitor;
    /** Where the gateway itself stands is a matter of its blueprint. */
    const groups = async () =>
      (await page.evaluate<readonly string[]>(GROUPS))
        .filter((group) => !/: Gateway$/.test(group))
        .map((group) => group.replace(/Gateway, |, Gateway/, ""));
    const sees = async (path: string, expected: readonly string[]) => {
      await visitor.move(path);
      await expect.poll(groups).toEqual(expected);
      expect(await findings(visitor)).toEqual([]);
    };
    const flat = [
      "Solar generators: Barn roof, Roof",
      "Loads: Kettle",
      "Sensors: Panel sensor",
      "Without category: Oddity",
    ];
    await sees(`/sites/${id}/devices`, flat);
    await sees(`/sites/${id}/devices?view=cards`, flat);
    await sees(`/sites/${id}/devices?view=tree`, [
      "Solar generators: Barn roof, Roof, Panel sensor",
      "Loads: Kettle",
      "Without category: Oddity",
    ]);
    await sees(`/sites/${id}/devices?q=e&category=loads`, ["Loads: Kettle"]);
    await sees(`/sites/${id}`, flat);
    await visitor.close();
  });
}
