// The page of a cloud while the gateway of a site is cut off: nothing that was true a moment ago is shown as true now.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Device } from "#client/resources.ts";
import { type Line, openLine } from "../support/cut-line.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";

const LONG = 4 * PATIENCE;

inBrowser("gateway away", gatewayAway);

function gatewayAway(): void {
  const cloud = useServer(["--role", "cloud", "--mqtt-port", "off", "--http-page"]);
  const gateway = useServer(["--demo", "--demo-history", "1d", "--mqtt-port", "off"]);
  const inCloud = useWorld(cloud);
  const ends: (() => void)[] = [];
  let line: Line;

  beforeAll(async () => {
    line = await openLine(cloud.url, (end) => ends.push(end));
    const { code } = (await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", {})).body;
    const joined = await gateway.admin.post("/v3/uplink", { url: line.url, code });
    expect(joined.status, joined.text).toBe(200);
  }, LONG);
  afterAll(() => {
    for (const end of ends) end();
  });

  const devices = async () =>
    (await cloud.admin.get<{ devices: Device[] }>("/v3/devices?expand=connectivity")).body.devices;
  const states = async () =>
    new Set((await devices()).filter(({ type }) => type !== "GATEWAY").map((one) => one.connectivity?.status));

  test(
    "from the moment of the cut the picture stops, states are unknown and values carry their age; then all is live again",
    async () => {
      const there = (await gateway.admin.get<{ devices: Device[] }>("/v3/devices")).body.devices.length;
      await expect.poll(async () => (await devices()).length, { timeout: LONG }).toBe(there);
      await expect.poll(states, { timeout: LONG }).toEqual(new Set(["ONLINE"]));
      const siteId = (await devices())[0]?.site_id ?? "";
      const visitor = await inCloud.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${siteId}`);
      const wait = { timeout: LONG };
      await page.getByText("kW, live", { exact: true }).waitFor(wait);
      const sidebar = page.getByRole("status").filter({ hasText: "Live" }).first();
      await sidebar.waitFor(wait);
      const moving = page.locator("path.dots:not(.still)");
      await expect.poll(() => moving.count(), wait).toBeGreaterThan(0);
      const card = page.locator(".card:has(a.name)", { hasText: /weather/i }).first();
      await card.waitFor(wait);
      // A value that is a minute old has its age, so the page may show some before it is live.
      await expect.poll(() => card.locator("time").count(), wait).toBe(0);

      line.cut();
      await expect.poll(states, wait).toEqual(new Set(["UNKNOWN"]));
      await page.getByText("kW, not live", { exact: true }).waitFor(wait);
      await page.getByText("Not live: the gateway is offline").first().waitFor(wait);
      await expect.poll(() => moving.count(), wait).toBe(0);
      // The cards say that nobody knows, and how old the last value is, although it is younger than a minute.
      const unknown = page.locator(".card:has(a.name)").filter({ hasText: "Unknown" });
      await expect
        .poll(async () => (await unknown.count()) === (await page.locator(".card:has(a.name)").count()), wait)
        .toBe(true);
      await card.locator("time").waitFor(wait);

      line.heal();
      await expect.poll(states, wait).toEqual(new Set(["ONLINE"]));
      await page.getByText("kW, live", { exact: true }).waitFor(wait);
      await expect.poll(() => moving.count(), wait).toBeGreaterThan(0);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    4 * LONG,
  );
}
