// The overview of a site lists doubtful steps of its counters. Whoever may change the site says what they were.
import { expect, test } from "vitest";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { useServer } from "../support/server.ts";
import { findViolations } from "./support/axe.ts";
import { inBrowser, PATIENCE, useWorld, type Visitor } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { lacks } from "./support/seen.ts";

inBrowser("steps of counters", counterSteps);

const METER = `blueprint_spec: device/3.0
display_name: Meter
category: power-meters
runtime: {type: embedded}
telemetry:
  grid_power: {type: float, unit: W, display_name: Power}
  grid_energy_import: {type: float, unit: kWh, display_name: Import}
`;

function counterSteps(): void {
  const world = useWorld(useServer(["--http-page", "--mqtt-port", "0"]));
  const { busbar } = world;

  const look = createFindings();
  /** What follows is done on a phone. */
  const findings = async (visitor: Visitor) => {
    const found = await look(visitor);
    await visitor.page.setViewportSize({ width: 360, height: 900 });
    return found;
  };

  test("a doubtful step is corrected on a phone, after a question, and the correction is withdrawn", {
    timeout: 3 * PATIENCE,
  }, async () => {
    const site = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Farm", timezone: "UTC" });
    const siteId = site.body.site.id;
    const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
      bytes: METER,
    });
    const wanted = { name: "Main meter", slug: "meter", site_id: siteId, blueprint_id: uploaded.body.blueprint.id };
    const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted);
    const config = `/v3/devices/${made.body.device_id}/generate_config`;
    const answer = await busbar.admin.post<{ config: FakeDeviceConfig }>(config, { protocol: "MQTT" });
    const device = await connectFakeDevice(answer.body.config);
    const start = Math.floor(Date.now() / 1000) - 600;
    for (const [minute, value] of [5_000, 5_001, 90_000, 90_002].entries()) {
      await device.sendTelemetry({ timestamp: start + minute * 60, grid_power: 0, grid_energy_import: value });
    }
    const fromGrid = async () => {
      const from = new Date((start - 60) * 1000).toISOString();
      type Energy = { energy: { total: { from_grid: number } } };
      const { body } = await busbar.admin.get<Energy>(`/v3/sites/${siteId}/energy?from=${from}`);
      return Math.round(body.energy.total.from_grid / 1000);
    };
    await expect.poll(fromGrid).toBe(85_002);

    const guest = await world.signedIn({}, await busbar.token({ level: "user" }));
    await guest.go(`/sites/${siteId}`);
    const steps = guest.page.getByRole("heading", { name: "Steps of counters" });
    await lacks(guest.page.getByRole("button", { name: /^Value wrong/ }), steps);
    await guest.close();

    const visitor = await world.signedIn({ bypassCSP: true });
    const { page } = visitor;
    await visitor.go(`/sites/${siteId}`);
    await page.getByRole("heading", { name: "Steps of counters" }).waitFor();
    expect(await findings(visitor)).toEqual([]);

    // The focus is on what changes nothing.
    await page.getByRole("button", { name: /^Value wrong/ }).click();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await fromGrid()).toBe(85_002);

    await page.getByRole("button", { name: /^Counter replaced/ }).click();
    const reading = page.getByLabel("Reading of the new counter when it was installed");
    await reading.fill("90001");
    await page.getByText("Give a number between 0 and").waitFor();
    await reading.fill("89990");
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Correct the energies" }).click();
    await page.getByRole("button", { name: /^Withdraw/ }).waitFor();
    expect(await fromGrid()).toBe(13);
    expect(await findings(visitor)).toEqual([]);

    await page.getByRole("button", { name: /^Withdraw/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("button", { name: /^Value wrong/ }).waitFor();
    expect(await fromGrid()).toBe(85_002);
    await visitor.close();
    await device.close();
  });
}
