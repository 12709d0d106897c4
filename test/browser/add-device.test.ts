// Adding devices: one that connects over MQTT turns online on the page when its first message comes, and one with a
// script is made with its configuration.
import { beforeAll, expect, test } from "vitest";
import type { Site } from "#client/resources.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { connectFakeDevice } from "../support/fake-device.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { lacks, textOf } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

const SCRIPT = "scheduler.add(1000, function() device.send_telemetry({ flow = 7.5, status = 'running' }) end)";
const MANIFEST = `blueprint_spec: device/3.0
display_name: Pump
description: Moves water.
runtime: {type: lua, options: {file: main.lua}}
telemetry:
  flow: {type: float, unit: l/min, display_name: Flow}
  status: {type: string, display_name: State, enum: [idle, running]}
configuration:
  link:
    display_name: Link
    access_level: owner
    parameters:
      address: {type: string, format: ipv4, required: true, display_name: Address}
      port: {type: integer, min: 1, max: 65535, default: 502, display_name: Port}
  works:
    display_name: Works
    access_level: vendor
    parameters:
      key: {type: string, sensitive: true, display_name: Key}
`;

inBrowser("add a device", addDevice);

function addDevice(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  let site = "";
  let blueprint = "";

  beforeAll(async () => {
    site = (await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Yard" })).body.site.id;
    const files = new Map([
      ["manifest.yml", Buffer.from(MANIFEST)],
      ["main.lua", Buffer.from(SCRIPT)],
    ]);
    const { body } = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
      bytes: packPackage(files),
    });
    blueprint = body.blueprint.id;
  });

  test(
    "over MQTT: the page shows credentials once, and says ONLINE when the first message comes",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/devices`);
      await page.getByRole("link", { name: "Add a device" }).first().click();
      await page.getByRole("link", { name: "It connects over MQTT" }).click();
      await page.getByRole("button", { name: "Create the device" }).click();
      await page.getByText("The device needs a name.").waitFor();
      await page.getByLabel("Name").fill("Meter 9");
      // What is typed stays while a blueprint is looked for, and the browser's way back works.
      await page.getByRole("link", { name: "Choose a blueprint" }).click();
      await page.getByRole("searchbox", { name: "Search blueprints" }).fill("pump");
      await page.goBack();
      await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Meter 9");
      await page.goForward();
      await page.getByRole("button", { name: /^Pump/ }).click();
      await page.getByRole("button", { name: "Create the device" }).click();
      await page.getByText("They are shown only once. Copy them now.").waitFor();
      await page.getByText("Waiting for the first message").waitFor();
      const snippet = await textOf(page.locator("pre"), /-m /);
      const [, host = "", port = ""] = /-h (\S+) -p (\d+)/.exec(snippet) ?? [];
      const [, username = "", password = ""] = /-u (\S+) -P (\S+)/.exec(snippet) ?? [];
      const [, message = "{}"] = /-m '(.*)'/.exec(snippet) ?? [];
      expect(JSON.parse(message)).toEqual({ flow: 21.5, status: "idle" });

      const device = await connectFakeDevice({
        mqtt_host: host,
        mqtt_port: Number(port),
        mqtt_credentials: { username, password },
        hardware_id: username,
        channel_id: "main",
      });
      await device.publish("v1/telemetry", message);
      await page.getByText("The device is online").waitFor();
      await page.getByText(/21\.5\sl\/min/).waitFor();

      // The secret was nowhere but on the page: a reload does not show it again.
      await page.reload();
      await lacks(page.getByText(password), page.getByText("The password was shown once and is not stored."));
      await device.close();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "with a script: the configuration is asked for first, and what is required is required",
    async () => {
      const installer = await busbar.token({ level: "installer" });
      const visitor = await world.signedIn({}, installer);
      const { page } = visitor;
      // As a card of the catalogue leads here.
      await visitor.go(`/sites/${site}/add-device?blueprint=${blueprint}`);
      await page.getByText("With the blueprint Pump").waitFor();
      await page.getByRole("link", { name: "A script reads it" }).click();
      await page.getByLabel("Name").fill("Pump 1");
      await page.getByText("Works needs the level vendor.").waitFor();
      await page.getByRole("button", { name: "Create the device" }).click();
      await page.getByText("Is required").waitFor();
      await page.getByLabel("Address").fill("192.0.2.7");
      await page.getByRole("button", { name: "Create the device" }).click();
      await page.getByText("Pump 1 was created.").waitFor();
      await page.waitForURL(/device=/);
      await page.getByText("The device is online").waitFor();
      await page.getByText(/7\.5\sl\/min/).waitFor();
      const id = new URL(page.url()).searchParams.get("device") ?? "";
      const { body } = await busbar.admin.get<{ configuration: object }>(`/v3/devices/${id}/configuration`);
      expect(body.configuration).toMatchObject({ link: { address: "192.0.2.7", port: 502 } });
      await page.getByRole("link", { name: "Open the device" }).click();
      await page.getByRole("heading", { name: "Pump 1" }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "simulated, and as a child of it; a level that is too low shows why",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/add-device?kind=simulated&blueprint=${blueprint}`);
      await page.getByLabel("Name").fill("Model");
      await page.getByLabel("Speed").selectOption("60");
      await page.getByRole("button", { name: "Create the device" }).click();
      await page.getByText("The device is online").waitFor();
      await page.waitForURL(/device=/);
      const model = new URL(page.url()).searchParams.get("device") ?? "";
      const { body } = await busbar.admin.get<{ simulation: { speed: number } }>(`/v3/devices/${model}/simulation`);
      expect(body.simulation.speed).toBe(60);

      await page.getByRole("link", { name: "Add another one" }).click();
      await page.getByRole("link", { name: "It belongs to another device" }).click();
      await page.getByLabel("Name").fill("Valve");
      await page.getByRole("combobox", { name: "Parent" }).selectOption("Model");
      await page.getByLabel("Child type").fill("valve");
      await page.getByRole("button", { name: "Create the device" }).click();
      await page.getByText("Valve was created.").waitFor();
      await page.waitForURL(/device=/);
      const child = new URL(page.url()).searchParams.get("device") ?? "";
      const made = await busbar.admin.get<{ device: object }>(`/v3/devices/${child}`);
      expect(made.body.device).toMatchObject({ parent_id: model, child_type: "valve" });
      expect(visitor.complaints).toEqual([]);
      await visitor.close();

      const user = await world.signedIn({}, await busbar.token({ level: "user" }));
      await user.go(`/sites/${site}/add-device`);
      await user.page.getByText("Needs access level owner; yours is user.").waitFor();
      await user.close();
    },
    LONG,
  );
}
