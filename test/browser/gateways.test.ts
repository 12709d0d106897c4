// A cloud and a gateway, each with its page: a code is made here and used there, the gateway is listed, a change waits for it
// while it is away, and one is overruled by what was changed on the gateway meanwhile.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Device, Site } from "#client/resources.ts";
import { type Line, openLine } from "../support/cut-line.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { lacks, textOf } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

inBrowser("gateways", gateways);

function gateways(): void {
  const cloud = useServer(["--role", "cloud", "--mqtt-port", "off", "--http-page"]);
  const gateway = useServer(["--mqtt-port", "off", "--http-page"]);
  const inCloud = useWorld(cloud);
  const onGateway = useWorld(gateway);
  const ends: (() => void)[] = [];
  let line: Line;
  let pump = "";
  let valve = "";

  beforeAll(async () => {
    line = await openLine(cloud.url, (end) => ends.push(end));
    const { site } = (await gateway.admin.post<{ site: Site }>("/v3/sites", { name: "North yard" })).body;
    const make = async (name: string) => {
      const body = { name, site_id: site.id };
      return (await gateway.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
    };
    [pump, valve] = [await make("Pump"), await make("Valve")];
  });
  afterAll(() => {
    for (const end of ends) end();
  });

  const audited = (action: string) =>
    expect.poll(async () => (await cloud.admin.get("/v3/audit")).text).toContain(`"${action}"`);

  test(
    "a gateway joins with a code that the cloud's page made, and is listed with its version; a change waits while it is away, and what the gateway changed meanwhile stays",
    async () => {
      const visitor = await inCloud.signedIn();
      const { page } = visitor;
      await visitor.go("/system/gateways");
      await page.getByText("No gateway has joined yet").waitFor();
      await page.getByRole("button", { name: "Code for a gateway" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Code for a gateway" });
      await dialog.getByLabel("What the gateway is called here").fill("North");
      await dialog.getByRole("button", { name: "Make the code" }).click();
      await dialog.getByText("The code is shown only once").waitFor();
      const code = await textOf(dialog.locator("code").first());
      await expect
        .poll(() => dialog.locator("code").last().textContent())
        .toBe(`busbar gateway join ${cloud.url} ${code}`);
      await dialog.getByRole("button", { name: "Done" }).click();

      const open = page.getByRole("table", { name: "Open codes" });
      await open.getByRole("row", { name: /^North/ }).waitFor();
      await cloud.admin.post("/v3/gateways/join_codes", { name: "Wrong person" });
      await page.getByRole("button", { name: "Withdraw the code Wrong person" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Withdraw", exact: true }).click();
      await page.getByText("The code Wrong person was withdrawn.").waitFor();
      await open.getByRole("row", { name: /^Wrong person/ }).waitFor({ state: "detached" });

      const installer = await onGateway.signedIn();
      await installer.go("/system");
      await installer.page.getByLabel("Address of the cloud").fill(line.url);
      await installer.page.getByLabel("Code", { exact: true }).fill(code);
      await installer.page.getByRole("button", { name: "Join" }).click();
      await installer.page.getByText("The gateway has joined the cloud.").waitFor();
      await installer.move("/system/gateways");
      await installer.page.getByText("This is a gateway").waitFor();
      expect(installer.complaints).toEqual([]);
      await installer.close();

      const row = page.getByRole("row", { name: /^North/ });
      await row.getByText("connected", { exact: true }).waitFor();
      await row.getByText("North yard").waitFor();
      await page.getByText(/1 of 1 connected/).waitFor();
      for (const id of [pump, valve])
        await expect.poll(async () => (await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200);

      // What the gateway reported last is on a page of its own, and its credential can be replaced there.
      await row.getByRole("link", { name: "North" }).click();
      const figure = (name: string) => page.locator("dt", { hasText: name }).locator("+ dd");
      await expect.poll(() => figure("Free on the disk").textContent()).toMatch(/^[\d.,]+ [GT]iB$/);
      await expect.poll(() => figure("Lost before upload").textContent()).toContain("0 expired, 0 unreadable");
      await expect.poll(() => figure("Memory").textContent()).toMatch(/MiB$/);
      await expect.poll(() => figure("Changes that the cloud has not confirmed").textContent()).toMatch(/^\d+$/);
      await page.getByRole("button", { name: "Replace the credential" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Replace the credential" }).click();
      await page.getByText("North replaces its credential.").waitFor();
      await audited("rotateGatewayCredential");

      // Devices that were never heard from are no alarm. When the line is cut, nobody knows.
      await visitor.move("/sites");
      await page.locator(".badge.tone-neutral", { hasText: "state of 2 devices unknown" }).waitFor();
      line.cut();
      await page.locator(".badge.tone-warning", { hasText: "gateway away, state of 2 devices unknown" }).waitFor();
      await page.getByRole("link", { name: "North yard" }).click();
      await page.locator("header .warning", { hasText: "gateway away, state of 2 devices unknown" }).waitFor();
      await visitor.move(`/devices/${pump}`);
      await page.getByRole("status").getByText("The gateway is offline.").waitFor();

      await visitor.move("/system/gateways");
      await row.getByText("not connected").waitFor();
      const ask = async (id: string, name: string) =>
        expect((await cloud.admin.patch(`/v3/devices/${id}`, { name })).text).toContain("PENDING");
      await ask(pump, "Big pump");
      await ask(valve, "Cloud valve");
      await gateway.admin.patch(`/v3/devices/${valve}`, { name: "Yard valve" });
      await page.getByRole("link", { name: "Changes", exact: true }).click();
      const made = page.getByRole("row", { name: /Change a device name: Big pump/ });
      const overruled = page.getByRole("row", { name: /Change a device name: Cloud valve/ });
      await made.getByText("pending", { exact: true }).waitFor();
      await made.getByText("North yard").waitFor();
      await overruled.getByText("pending", { exact: true }).waitFor();
      line.heal();
      await made.getByText("applied", { exact: true }).waitFor();
      await overruled.getByText("overruled", { exact: true }).waitFor();
      await overruled.getByText("Changed on the gateway in the meantime; the gateway's value stays: name").waitFor();
      const nameIn = async ({ admin }: typeof cloud, id: string) =>
        (await admin.get<{ device: Device }>(`/v3/devices/${id}`)).body.device.name;
      expect([await nameIn(gateway, pump), await nameIn(gateway, valve)]).toEqual(["Big pump", "Yard valve"]);
      await expect.poll(() => nameIn(cloud, valve)).toBe("Yard valve");
      // The filters are in the address.
      await page.getByLabel("pending", { exact: true }).dispatchEvent("click");
      await page.getByText("No change fits").waitFor();
      await page.waitForURL(/[?&]state=PENDING/);
      await page.getByLabel("overruled", { exact: true }).dispatchEvent("click");
      await lacks(made, overruled);

      await visitor.move("/system/gateways");
      await page.getByRole("button", { name: "Revoke North" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page
        .getByRole("row", { name: /^North/ })
        .getByText("revoked")
        .waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a level that is too low, or a token for some sites, shows why it sees no gateways, in German, too",
    async () => {
      const owner = await inCloud.signedIn({ locale: "de-DE" }, await cloud.token({ level: "owner" }));
      await owner.go("/system/gateways");
      await owner.page.getByText(/Braucht die Zugriffsstufe installer/).waitFor();
      await owner.move("/system/changes");
      await owner.page.getByRole("heading", { name: "System" }).waitFor();
      await owner.page.getByText("Ein Gateway macht die Änderungen seiner Standorte.", { exact: false }).waitFor();
      await owner.move("/blueprints/rollouts");
      await owner.page.getByText(/Braucht die Zugriffsstufe installer/).waitFor();
      expect(owner.complaints).toEqual([]);
      await owner.close();
    },
    LONG,
  );
}
