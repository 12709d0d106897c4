// Changes that are made on the page of a cloud while the gateway of the site is away: the page says that they wait, where they
// are to be seen, and what became of them.
import { expect, onTestFinished, test } from "vitest";
import { commandManifest, upload } from "../support/command-site.ts";
import { eventually, useLinkedPair } from "../support/linked-pair.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { lacks } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

const CHARGER = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
command_groups: {main: {display_name: Main}}
commands:
  set_current:
    group: main
    display_name: Set current
    arguments:
      current: {type: float, unit: A, min: 0, max: 32, required: true, display_name: Current}
.busbar:
  controls:
    charging: {command: set_current, argument: current, fallback: {value: 0}}
`;

inBrowser("changes that wait", pendingChanges);

function pendingChanges(): void {
  const pair = useLinkedPair(["--http-page"]);
  const { cloud, gateway } = pair;
  const inCloud = useWorld(cloud);

  const putHost = (id: string, host: string) =>
    gateway.admin.call("PUT", `/v3/devices/${id}/configuration/network`, { json: { host } });
  const hostIn = async ({ admin }: typeof cloud, id: string) =>
    (await admin.get<{ values: { host?: string } }>(`/v3/devices/${id}/configuration/network`)).body.values?.host;

  async function cut(): Promise<void> {
    pair.line.cut();
    onTestFinished(() => pair.line.heal());
    await eventually(async () => {
      const { body } = await cloud.admin.get<{ gateways: { connected: boolean }[] }>("/v3/gateways");
      expect(body.gateways[0]?.connected).toBe(false);
    });
  }

  async function madePump(): Promise<string> {
    const id = await pair.site.device("Pump");
    await putHost(id, "first.local");
    await eventually(async () => expect(await hostIn(cloud, id)).toBe("first.local"));
    return id;
  }

  test(
    "a change that waits is shown as one, stays in its form, is found from the device, and can be withdrawn; one that was overruled is found, too",
    async () => {
      const pump = await madePump();
      const second = await upload(cloud, commandManifest("Second"));
      await cut();

      const visitor = await inCloud.signedIn();
      const { page } = visitor;
      await visitor.go(`/devices/${pump}/configuration`);
      const form = page.getByRole("form", { name: "Network" });
      await form.getByLabel("Host").fill("second.local");
      await form.getByRole("button", { name: "Save" }).click();
      const waits = page.getByText("The change waits for gateway North.");
      await waits.waitFor();
      await form.getByText("These values wait for the gateway.", { exact: false }).waitFor();
      await expect.poll(() => form.getByLabel("Host").inputValue()).toBe("second.local");
      await expect.poll(() => form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
      const bar = page.getByText("1 change waits for gateway North: Change a configuration.");
      await lacks(page.getByText("is saved"), bar);
      await form.getByRole("button", { name: "Show the stored ones" }).click();
      await expect.poll(() => form.getByLabel("Host").inputValue()).toBe("first.local");

      await visitor.move(`/blueprints/${second}`);
      await page.getByLabel("Assign to a device").selectOption({ label: "Pump" });
      await page.getByRole("button", { name: "Assign" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Assign" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await lacks(page.getByText("Pump has Second"), waits.last());

      await visitor.move(`/devices/${pump}`);
      const line = page.getByText(/^2 changes wait for gateway North: /);
      await line.getByRole("link", { name: "System > Changes" }).click();
      await page.getByText("Only changes of Pump").waitFor();
      await expect.poll(() => page.getByRole("row").filter({ hasText: "pending" }).count()).toBe(2);

      // The blueprint was a mistake.
      await page.getByRole("button", { name: "Withdraw: Assign a blueprint" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
      await page.getByText("The change was withdrawn.").waitFor();
      await expect.poll(() => page.getByRole("row").filter({ hasText: "pending" }).count()).toBe(1);

      await putHost(pump, "third.local");
      pair.line.heal();
      await page.getByText("No change fits").waitFor();
      await visitor.move(`/devices/${pump}`);
      const notMade = page.getByText("1 change of the last week was not applied.");
      await notMade.getByRole("link", { name: "System > Changes" }).click();
      await page.getByText("Changed on the gateway in the meantime; the gateway's value stays: network").waitFor();
      const { body } = await gateway.admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${pump}`);
      expect(body.device.blueprint_id).toBe(pair.site.blueprintId);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a form whose values wait shows the stored ones again when the gateway has them; who may not read gateways sees it without a name",
    async () => {
      const pump = await madePump();
      await cut();
      const owner = await inCloud.signedIn({}, await cloud.token({ level: "owner" }));
      const { page } = owner;
      await owner.go(`/devices/${pump}/configuration`);
      const form = page.getByRole("form", { name: "Network" });
      await form.getByLabel("Host").fill("second.local");
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("The change waits for the gateway of the site.").waitFor();
      const note = form.getByText("These values wait for the gateway.", { exact: false });
      await note.waitFor();
      pair.line.heal();
      await note.waitFor({ state: "detached" });
      await expect.poll(() => form.getByLabel("Host").inputValue()).toBe("second.local");
      expect(await hostIn(gateway, pump)).toBe("second.local");
      await page
        .getByText(/change waits for the gateway/)
        .first()
        .waitFor({ state: "detached" });
      expect(owner.complaints).toEqual([]);
      await owner.close();
    },
    LONG,
  );

  test(
    "while the gateway is away, a control says what was last known and since when, and a claim waits; then the gateway has it",
    async () => {
      const charger = await pair.site.device("Charger", { blueprint_id: await upload(gateway, CHARGER) });
      const path = `/v3/devices/${charger}/controls/charging`;
      const value = async ({ admin }: typeof cloud) => {
        const { status, body } = await admin.get<{ control: { value: number | null } }>(path);
        return status === 200 ? body.control.value : undefined;
      };
      await eventually(async () => expect(await value(cloud)).toBeNull());
      await cut();
      const visitor = await inCloud.signedIn();
      const { page } = visitor;
      await visitor.go(`/devices/${charger}`);
      const card = page.locator("[data-controls]");
      await card.getByText(/^The gateway has been offline since .*; what holds now is unknown\.$/).waitFor();
      await card.getByText("Following unknown").waitFor();
      await card.getByLabel("New value", { exact: true }).fill("10");
      await card.getByRole("button", { name: "Set" }).click();
      await card.getByText("What you asked for waits until it is back").waitFor();
      await page.getByText("1 change waits for gateway North: Claim a control.").waitFor();
      expect([await value(cloud), await value(gateway)]).toEqual([null, null]);
      pair.line.heal();
      await card.getByText("Person: you").waitFor();
      await card.getByText(/^The gateway is away/).waitFor({ state: "detached" });
      expect(await value(gateway)).toBe(10);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
