// Resuming an event stream: after a restart, and when what was missed is no longer kept.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { commandsOf, makeCommandSite } from "../support/command-site.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

/** `device updated` and so on. */
function textOf({ event, data }: SeenEvent): string {
  const what = data.execution?.state ?? data.connectivity?.status ?? data["change"] ?? data["bucket"] ?? data["kinds"];
  return `${event} ${String(what)}`;
}

test("after a restart a stream goes on where it stopped, with everything that changed meanwhile, in order", async () => {
  const site = await makeCommandSite(busbar, "Resumed");
  const [device, other] = [await site.device("Device"), await site.device("Other")];
  const query = `?site_id.in=${site.siteId}&kind.in=execution,alert,configuration,device`;
  const rename = (id: string, name: string) => busbar.admin.patch(`/v3/devices/${id}`, { name });
  const isUpdate = (event: SeenEvent) => textOf(event) === "device updated";

  const before = await listen(busbar.url, busbar.adminToken, { query });
  await rename(device, "Seen");
  const { id: lastEventId } = await before.next(isUpdate);
  before.close();

  const mqtt = await site.connect(device);
  await mqtt.sendTelemetry({ alerts: ["hot"] });
  await busbar.admin.call("PUT", `/v3/devices/${device}/configuration/network`, { json: { host: "a.example" } });
  const id = await commandsOf(busbar.admin, other).started({ name: "stop" });
  await mqtt.sendTelemetry({ alerts: [] });
  await busbar.restart();
  await site.device("Third");
  await rename(other, "Last");

  const after = await listen(busbar.url, busbar.adminToken, { query, lastEventId });
  await after.next((event) => isUpdate(event) && event.data.device_id === other);
  expect(after.seen.map(textOf)).toEqual([
    "alert raised",
    "configuration network",
    "execution NEW",
    "alert cleared",
    "device created",
    "device updated",
  ]);
  expect(after.seen[2]?.data.execution).toMatchObject({ id, request: { name: "stop" } });
  // The same once more from the middle, with an id that came from the outbox.
  const middle = await listen(busbar.url, busbar.adminToken, { query, lastEventId: after.seen[3]?.id });
  await middle.next(isUpdate);
  expect(middle.seen.map(textOf)).toEqual(["device created", "device updated"]);
});

test("a stream that cannot resume says what is missing and sends the current state, of what its token may see", async () => {
  const site = await makeCommandSite(busbar, "Missed");
  const [device, other] = [await site.device("Device"), await site.device("Other")];
  const mqtt = await site.connect(device);
  await mqtt.sendTelemetry({ alerts: ["hot"] });
  await commandsOf(busbar.admin, other).started({ name: "stop" });
  const stored = "execution,alert,connectivity,configuration,device";
  const state = async (token: string, query: string) => {
    const listener = await listen(busbar.url, token, { query, lastEventId: "AAAAAAAAAAAAAAAAAAAAAA" });
    await busbar.admin.patch(`/v3/devices/${other}`, { name: "Last" });
    const last = await listener.next(({ id }) => id !== undefined);
    listener.close();
    expect(textOf(last)).toBe("device updated");
    return listener.seen.slice(0, -1).map((event) => textOf(event));
  };
  // The gateway itself is a device of the site, too.
  const both = `device_id.in=${device},${other}`;
  const all = `?site_id.in=${site.siteId}&${both}&kind.in=${stored},log`;
  expect(await state(busbar.adminToken, all)).toEqual([
    `gap ${stored},log`,
    ...["device updated", "connectivity ONLINE", "alert raised"],
    ...["device updated", "connectivity UNKNOWN", "execution NEW"],
  ]);
  const reader = await busbar.token({ site_ids: [site.siteId] });
  expect(await state(reader, `?${both}&kind.in=execution,device,alert`)).toEqual([
    "gap execution,alert,device",
    ...["device updated", "alert raised", "device updated"],
  ]);
});

test("in the current state the gateway's own device is as online as it is over HTTP", async () => {
  const site = await makeCommandSite(busbar, "Of a gateway");
  const path = `/v3/sites/${site.siteId}/devices?type.in=GATEWAY&expand=connectivity`;
  const { body } = await busbar.admin.get<{ devices: readonly { id: string; connectivity: object }[] }>(path);
  const [gateway] = body.devices;
  const query = `?device_id.in=${gateway?.id}&kind.in=connectivity`;
  const listener = await listen(busbar.url, busbar.adminToken, { query, lastEventId: "AAAAAAAAAAAAAAAAAAAAAA" });
  const { data } = await listener.next(({ event }) => event === "connectivity");
  listener.close();
  expect([data.connectivity, gateway?.connectivity]).toEqual([{ status: "ONLINE" }, { status: "ONLINE" }]);
});

test("an id from before a restore is not taken for one of the events that got its number afterwards", async () => {
  const site = await makeCommandSite(busbar, "Restored");
  const device = await site.device("Device");
  const query = `?site_id.in=${site.siteId}&kind.in=device`;
  const rename = (name: string) => busbar.admin.patch(`/v3/devices/${device}`, { name });
  const before = await listen(busbar.url, busbar.adminToken, { query });
  await rename("Before");
  const { id: lastEventId } = await before.next(({ event }) => event === "device");
  before.close();
  // What a restore does to records.
  await busbar.stop();
  const records = new DatabaseSync(join(busbar.data, "records.db"));
  records.exec("DELETE FROM epoch");
  records.close();
  await busbar.restart();
  for (let change = 0; change < 20; change += 1) await rename(`After ${change}`);
  const after = await listen(busbar.url, busbar.adminToken, { query, lastEventId });
  await rename("Last");
  await after.next(({ id }) => id !== undefined);
  expect(after.seen.slice(0, 2).map(textOf)).toEqual(["gap device", "device updated"]);
  after.close();
});

test("a stream with replay begins with what changed a moment ago, so nothing is lost between a list and the stream", async () => {
  const site = await makeCommandSite(busbar, "Replayed");
  const device = await site.device("Device");
  await busbar.admin.patch(`/v3/devices/${device}`, { name: "Renamed" });
  const query = `?site_id.in=${site.siteId}&kind.in=device`;
  const late = await listen(busbar.url, busbar.adminToken, { query: `${query}&replay=60s` });
  await late.next((event) => textOf(event) === "device updated" && event.data.device_id === device);
  expect(late.seen.map(({ event }) => event)).not.toContain("gap");
  late.close();
  for (const [replay, message] of [
    ["61s", 'replay must be at most 60s, not "61s"'],
    ["soon", /^replay .*not "soon"/],
  ] as const) {
    const { status, errors } = await busbar.admin.get(`/v3/events?replay=${replay}`);
    expect([status, errors[0]?.message]).toEqual([400, expect.stringMatching(message)]);
  }
});
