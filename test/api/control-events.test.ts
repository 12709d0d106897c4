// Listeners hear who controls a device, and whether it follows, as far as they may know.
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, connected, makeCommandSite, upload } from "../support/command-site.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { useServer } from "../support/server.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--mqtt-port", "0"], { clocks });

const MANIFEST = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  current: {type: float, unit: A, display_name: Current, access_level: installer}
command_groups: {main: {display_name: Main}}
commands:
  set_current:
    group: main
    display_name: Set current
    arguments:
      current: {type: float, unit: A, min: 0, max: 32, required: true, display_name: Current}
.busbar:
  controls:
    charging: {command: set_current, argument: current, reads: current, fallback: {value: 0}}
`;

interface Wire {
  readonly id: string;
  readonly value: number | null;
  readonly follow: string;
  readonly measured: number | null;
  readonly until: string | null;
  readonly winner: { readonly id: string; readonly source: string } | null;
}

let site: CommandSite;
let blueprintId = "";
let otherSite = "";

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Streamed");
  blueprintId = await upload(busbar, MANIFEST);
  otherSite = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other" })).body.site.id;
});

async function makeCharger(name: string) {
  const id = await site.device(name, { blueprint_id: blueprintId });
  const device = await connected(await site.configOf(id));
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ current: command.arguments["current"] });
  });
  const path = `/v3/devices/${id}/controls/charging`;
  const claim = (body: object) => busbar.admin.post<{ control: Wire }>(`${path}/claims`, { reason: "test", ...body });
  return { id, path, claim, device };
}

const wireOf = ({ data }: SeenEvent) => data["control"] as Wire;
const isOf =
  (id: string, fits: (control: Wire) => boolean = () => true) =>
  (event: SeenEvent) =>
    event.event === "control" && event.data.device_id === id && fits(wireOf(event));

test("a claim, its following, its renewal and its end are heard as the control reads", async () => {
  const { id, path, claim } = await makeCharger("charger-1");
  const stream = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=control" });
  const made = await claim({ value: 16, lease: "10m" });
  const claimId = made.body.control.winner?.id;
  const claimed = await stream.next(isOf(id, ({ value }) => value === 16));
  expect(claimed.data).toMatchObject({ site_id: site.siteId, device_id: id });
  expect(wireOf(claimed)).toMatchObject({ id: "charging", winner: { id: claimId }, unit: "A", min: 0, max: 32 });
  const followed = await stream.next(isOf(id, ({ follow }) => follow === "followed"));
  const { body } = await busbar.admin.get<{ control: Wire }>(path);
  expect(wireOf(followed)).toEqual(body.control);
  const before = wireOf(followed).until;
  await busbar.admin.post(`${path}/claims/${claimId}/renew`, { lease: "20m" });
  await stream.next(isOf(id, ({ until }) => until !== before));
  await busbar.admin.delete(`${path}/claims/${claimId}`);
  const released = await stream.next(isOf(id, ({ value }) => value === null));
  expect(wireOf(released)).toMatchObject({ winner: null, until: null, follow: "idle" });
});

test("measurements alone are no events, and a listener resumes where it was cut off", async () => {
  const { id, claim, device } = await makeCharger("charger-2");
  const stream = await listen(busbar.url, busbar.adminToken, { query: `?kind.in=control&device_id.in=${id}` });
  await claim({ value: 10, lease: "10m" });
  const followed = await stream.next(isOf(id, ({ follow }) => follow === "followed"));
  for (const current of [10.1, 9.9, 10.2]) await device.sendTelemetry({ current });
  stream.close();
  await claim({ value: 12, lease: "10m" });
  const again = await listen(busbar.url, busbar.adminToken, {
    query: `?kind.in=control&device_id.in=${id}`,
    lastEventId: followed.id,
  });
  const next = await again.next(isOf(id));
  expect([wireOf(next).value, again.seen.filter(({ event }) => event === "gap")]).toEqual([12, []]);
  const values = [...stream.seen, ...again.seen].filter(({ event }) => event === "control").map(wireOf);
  expect(values.filter(({ value, follow }) => value === 10 && follow === "followed")).toHaveLength(1);
});

test("who may not read the measurement gets none, and who may not see the site hears nothing", async () => {
  const { id, claim } = await makeCharger("charger-3");
  const [owner, installer, stranger] = await Promise.all([
    busbar.token({ level: "owner", site_ids: [site.siteId] }),
    busbar.token({ level: "installer", site_ids: [site.siteId] }),
    busbar.token({ level: "vendor", site_ids: [otherSite] }),
  ]);
  const [short, whole, foreign] = await Promise.all(
    [owner, installer, stranger].map((token) => listen(busbar.url, token, { query: "?kind.in=control" })),
  );
  await claim({ value: 6, lease: "10m" });
  const isFollowed = isOf(id, ({ follow }) => follow === "followed");
  const [seenShort, seenWhole] = await Promise.all([short?.next(isFollowed), whole?.next(isFollowed)]);
  expect(seenWhole && wireOf(seenWhole)).toMatchObject({ value: 6, measured: 6, measured_at: expect.any(String) });
  expect(seenShort && wireOf(seenShort)).toMatchObject({ value: 6, measured: null, measured_at: null });
  expect(foreign?.text()).not.toContain(id);
});
