// Controls of a gateway's devices, seen and claimed in its cloud.
import { beforeAll, expect, test } from "vitest";
import { commandsOf, connected, upload } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { listen } from "../support/listen.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, type Session } from "../support/server.ts";

const clocks = createMovableClocks();
const pair = useLinkedPair([], undefined, clocks);
const { cloud, gateway } = pair;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  current: {type: float, unit: A, display_name: Current}
command_groups: {main: {display_name: Main}}
commands:
  set_current:
    group: main
    display_name: Set current
    access_level: owner
    arguments:
      current: {type: float, unit: A, min: 0, max: 32, required: true, display_name: Current}
.busbar:
  controls:
    charging: {command: set_current, argument: current, reads: current, fallback: {value: 0}}
`;

interface Wire {
  readonly value: number | null;
  readonly follow: string;
  readonly winner: { readonly id: string; readonly source: string; readonly cause: string | null } | null;
  readonly [field: string]: unknown;
}

interface Claimed {
  readonly control: Wire;
  readonly pending_change?: { readonly id: string; readonly state: string; readonly lease_until: string };
}

let blueprintId = "";
beforeAll(async () => {
  blueprintId = await upload(gateway, MANIFEST);
});

/** A device of the gateway that does what it is told, once the cloud knows it. */
async function makeCharger(name: string) {
  const id = await pair.site.device(name, { blueprint_id: blueprintId });
  const device = await connected(await pair.site.configOf(id));
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ current: command.arguments["current"] });
  });
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  const path = `/v3/devices/${id}/controls/charging`;
  const read = async (server = gateway) => (await server.admin.get<{ control: Wire }>(path)).body.control;
  const claim = (body: object, as: Session = cloud.admin) =>
    as.post<Claimed>(`${path}/claims`, { reason: "test", ...body });
  const currents = () => device.commands.map((command) => command.arguments["current"]);
  return { id, device, path, read, claim, currents };
}

test("a command of the cloud is a claim of its caller on the gateway", async () => {
  const { id, read, currents } = await makeCharger("by-command");
  const desk = cloud.as(await cloud.token({ name: "Desk", level: "owner" }));
  const executed = await eventually(async () => {
    const answer = await commandsOf(desk, id).execute({ name: "set_current", arguments: { current: 16 } });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.execution;
  });
  expect(executed.state).toBe("SUCCESS");
  await eventually(async () =>
    expect(await read()).toMatchObject({
      value: 16,
      follow: "followed",
      winner: {
        class: "person",
        source: expect.stringMatching(/^token:[-0-9a-f]{36}$/),
        source_name: "Desk",
        cause: `execution:${executed.id}`,
      },
    }),
  );
  expect(currents()).toEqual([16]);
});

test("a command of a schedule of the cloud counts as a rule on the gateway, and less than a person", async () => {
  const { id, read, claim, currents } = await makeCharger("by-schedule");
  const schedule = async (current: number) => {
    const bulk = { name: "set_current", arguments: { current }, devices: { device_ids: [id] } };
    const at = new Date(clocks.now() + 500).toISOString();
    const made = await cloud.admin.post<{ schedule: { id: string } }>("/v3/commands/schedules", {
      name: "s",
      at,
      bulk,
    });
    expect(made.status, made.text).toBe(200);
    return made.body.schedule.id;
  };
  const first = await schedule(9);
  await eventually(async () =>
    expect(await read()).toMatchObject({ value: 9, winner: { class: "rule", source: `schedule:${first}` } }),
  );
  await claim({ value: 6, lease: "10m" }, gateway.admin);
  await schedule(20);
  await eventually(async () => expect(currents()).toContain(20));
  await eventually(async () => expect(await read()).toMatchObject({ value: 6, winner: { class: "person" } }));
});

test("what is claimed on the gateway is seen and heard in the cloud, with its history", async () => {
  const { id, claim, read, path } = await makeCharger("by-gateway");
  const stream = await listen(cloud.url, ADMIN_TOKEN, { query: `?kind.in=control&device_id.in=${id}` });
  expect(await read(cloud)).toMatchObject({ value: null, follow: "idle", not_confirmed_since: null, max: 32 });
  const made = await claim({ value: 10, lease: "20m" }, gateway.admin);
  await eventually(async () => expect(await read(cloud)).toMatchObject({ value: 10, follow: "followed", written: 10 }));
  expect((await read(cloud)).winner).toEqual({ ...made.body.control.winner, source_name: expect.anything() });
  const heard = await stream.next(({ data }) => (data["control"] as Wire).follow === "followed");
  expect(heard.data).toMatchObject({ site_id: pair.site.siteId, device_id: id, control: { value: 10 } });
  const all = await cloud.admin.get<{ controls: Wire[] }>(`/v3/sites/${pair.site.siteId}/controls`);
  expect(all.body.controls.map(({ device_id }) => device_id)).toContain(id);
  const history = async (server = gateway) => {
    const { body } = await server.admin.get<{ records: Wire[] }>(`/v3/devices/${id}/control_history`);
    return body.records.map(({ at, value, follow, reason }) => ({ at, value, follow, reason }));
  };
  expect((await history()).length).toBeGreaterThan(0);
  await eventually(async () => expect(await history(cloud)).toEqual(await history()));
  await gateway.admin.delete(`${path}/claims/${made.body.control.winner?.id}`);
  await eventually(async () => expect(await read(cloud)).toMatchObject({ value: null, winner: null, follow: "idle" }));
});

test("a claim of the cloud is made, renewed and released on the gateway, and refused as there", async () => {
  const { id, claim, path, read, currents } = await makeCharger("by-cloud");
  const [desk, user] = await Promise.all([
    cloud.token({ name: "Desk", level: "owner" }).then((token) => cloud.as(token)),
    cloud.token({ level: "user" }).then((token) => cloud.as(token)),
  ]);
  const made = await claim({ value: 12, lease: "10m" }, desk);
  expect(made.body, made.text).toMatchObject({ control: { value: 12, winner: { class: "person" } } });
  expect(made.body.pending_change).toBeUndefined();
  const { winner } = await read();
  expect(winner).toMatchObject({ source: expect.stringMatching(/^token:/), source_name: "Desk" });
  await eventually(async () => expect(await read(cloud)).toMatchObject({ follow: "followed", measured: 12 }));
  const renewed = await desk.post<Claimed>(`${path}/claims/${winner?.id}/renew`, { lease: "30m" });
  expect([renewed.status, renewed.body.control.winner?.id]).toEqual([200, winner?.id]);
  expect(Date.parse(`${(await read()).until}`) - clocks.now()).toBeGreaterThan(25 * 60_000);
  expect((await claim({ value: 5 }, user)).status).toBe(403);
  expect((await user.delete(`${path}/claims/${winner?.id}`)).status).toBe(403);
  for (const body of [
    { value: 40 },
    { value: 1, lease: "8d" },
    { value: 1, lease: "soon" },
    { value: 1, class: "interlock" },
  ]) {
    expect((await claim(body, desk)).status, JSON.stringify(body)).toBe(400);
  }
  const released = await desk.delete<Claimed>(`${path}/claims/${winner?.id}`);
  expect([released.status, released.body.control.value]).toEqual([200, null]);
  await eventually(async () => expect(currents()).toEqual([12, 0]));
  expect((await desk.delete(`${path}/claims/${winner?.id}`)).status).toBe(404);
  // A renewal is a heartbeat: neither audit log has it.
  for (const server of [gateway, cloud]) {
    const { entries } = (
      await server.admin.get<{ entries: { action: string; outcome: string; target: { device_id?: string } }[] }>(
        "/v3/audit?limit=1000",
      )
    ).body;
    const made = entries.filter(({ target, outcome }) => target.device_id === id && outcome !== "REFUSED");
    const actions = new Set(
      made.map(({ action }) => action).filter((action) => action.endsWith("Claim") || action === "claimControl"),
    );
    expect(actions).toEqual(new Set(["claimControl", "releaseClaim"]));
  }
});

async function whileCut(work: () => Promise<void>): Promise<void> {
  pair.line.cut();
  await isLinked(gateway, false);
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ gateways: { connected: boolean }[] }>("/v3/gateways");
    expect(body.gateways.map(({ connected: isThere }) => isThere)).toEqual([false]);
  });
  try {
    await work();
  } finally {
    pair.line.heal();
    clocks.advance(60_000);
    await isLinked(gateway, true);
  }
}

const changeOf = async (id: string) =>
  (await cloud.admin.get<{ change: { state: string; errors: { message: string }[] } }>(`/v3/changes/${id}`)).body
    .change;

test("while the gateway is away its controls are not confirmed, and a claim that lapses is never made", async () => {
  const { id, claim, read, currents } = await makeCharger("lapsed");
  await claim({ value: 8, lease: "7h" });
  await eventually(async () => expect(await read(cloud)).toMatchObject({ value: 8, follow: "followed" }));
  const stream = await listen(cloud.url, ADMIN_TOKEN, { query: `?kind.in=control&device_id.in=${id}` });
  let changeId = "";
  await whileCut(async () => {
    const away = await eventually(async () => {
      const control = await read(cloud);
      expect(control["not_confirmed_since"]).not.toBeNull();
      return control;
    });
    expect(away).toMatchObject({ value: 8, follow: "unknown" });
    await stream.next(({ data }) => (data["control"] as Wire)["not_confirmed_since"] !== null);
    const waiting = await claim({ value: 20, lease: "5m", take_over: true });
    expect([waiting.status, waiting.body.control.value, waiting.body.pending_change?.state]).toEqual([
      200,
      8,
      "PENDING",
    ]);
    changeId = waiting.body.pending_change?.id ?? "";
    expect((await claim({ value: 40 })).status).toBe(400);
    clocks.advance(6 * 60_000);
    await eventually(async () => expect((await changeOf(changeId)).state).toBe("REFUSED"));
    expect((await changeOf(changeId)).errors[0]?.message).toContain("the lease ended before");
  });
  await eventually(async () => expect(await read(cloud)).toMatchObject({ value: 8, not_confirmed_since: null }));
  await stream.next(({ data }) => (data["control"] as Wire)["not_confirmed_since"] === null);
  expect(currents()).not.toContain(20);
});

test("a claim that waited for its gateway ends when the cloud has fixed it", async () => {
  const { claim, read, currents } = await makeCharger("waited");
  let until = "";
  await whileCut(async () => {
    const waiting = await claim({ value: 14, lease: "30m" });
    until = waiting.body.pending_change?.lease_until ?? "";
    expect(Date.parse(until) - clocks.now()).toBeGreaterThan(29 * 60_000);
    clocks.advance(10 * 60_000);
  });
  await eventually(async () => expect(await read()).toMatchObject({ value: 14, follow: "followed" }));
  const { winner } = await read();
  const late = Date.parse(`${(winner as unknown as { lease_until: string }).lease_until}`) - Date.parse(until);
  // As long as the welcome of the cloud was under way.
  expect(Math.abs(late)).toBeLessThan(5_000);
  clocks.advance(Date.parse(until) - clocks.now() + 6_000);
  await eventually(async () => expect(await read()).toMatchObject({ value: null, follow: "idle" }));
  await eventually(async () => expect(currents()).toEqual([14, 0]));
});

test("the command line controls in a cloud as on a gateway", async () => {
  const { id, read } = await makeCharger("by-words");
  const busbar = (...words: readonly string[]) =>
    runBusbar(["control", ...words], { env: { BUSBAR_URL: cloud.url, BUSBAR_TOKEN: ADMIN_TOKEN } });
  const claimed = await busbar("claim", id, "charging", "9", "--for", "10m", "--reason", "Test");
  expect([claimed.code, claimed.err]).toEqual([0, ""]);
  expect(claimed.out).toContain("9 A");
  await eventually(async () => expect(await read(cloud)).toMatchObject({ follow: "followed" }));
  expect((await busbar("show", id)).out).toMatch(/charging +9 A +9 A +followed +person +Test/);
  await whileCut(async () => {
    const shown = await busbar("show", id, "charging");
    expect(shown.out).toContain("not confirmed since");
    const waits = await busbar("release", id, "charging");
    expect([waits.code, waits.err]).toEqual([0, expect.stringContaining("The change waits for its gateway")]);
  });
  await eventually(async () => expect(await read()).toMatchObject({ value: null }));
});
