// Interlocks of a gateway's site, seen and changed in its cloud.
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsOf, upload } from "../support/command-site.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
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
  power: {type: float, unit: W, display_name: Power}
  temperature: {type: float, unit: Cel, display_name: Temperature, access_level: installer}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: W, min: 0, max: 11000, required: true, display_name: Power}
.busbar:
  controls:
    power: {command: set_power, argument: power, reads: power, fallback: {value: max}}
`;

interface Wire {
  readonly name: string;
  readonly revision: number;
  readonly state: string;
  readonly why: string;
  readonly limits: readonly object[];
  readonly measured: readonly { readonly value: unknown }[];
  readonly reported_by: string | null;
  readonly not_confirmed_since: string | null;
}

interface Answer {
  readonly interlock: Wire | null;
  readonly pending_change?: { readonly id: string; readonly state: string };
}

const limit = (device: string, max: number, above = 40) => ({
  kind: "condition",
  display_name: "Too hot",
  when: { device, attribute: "temperature", above, hysteresis: 2 },
  stale_after: "1d",
  limits: [{ device, control: "power", max }],
});

let device: FakeDevice;
let deviceId = "";
let path = "";

beforeAll(async () => {
  deviceId = await pair.site.device("charger", { blueprint_id: await upload(gateway, MANIFEST) });
  device = await connectFakeDevice(await pair.site.configOf(deviceId));
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ power: command.arguments["power"] });
  });
  path = `/v3/sites/${pair.site.siteId}/interlocks`;
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${deviceId}`)).status).toBe(200));
});

afterAll(() => device.drop());

const put = (
  name: string,
  document: object,
  { revision, as = cloud.admin }: { revision?: number; as?: Session } = {},
) =>
  as.put<Answer>(`${path}/${name}`, document, {
    headers: revision === undefined ? {} : { "If-Match": `"${revision}"` },
  });
const get = async (name: string, server = cloud, as = server.admin) =>
  (await as.get<{ interlock: Wire }>(`${path}/${name}`)).body.interlock;
const control = async (server = cloud) =>
  (await server.admin.get<{ control: object }>(`/v3/devices/${deviceId}/controls/power`)).body.control;

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

const changeOf = async (id = "") =>
  (
    await cloud.admin.get<{ change: { state: string; errors: { code: string }[]; fields?: unknown } }>(
      `/v3/changes/${id}`,
    )
  ).body.change;

test("an interlock of the gateway is seen in the cloud with what it demands, and controls name it there", async () => {
  await device.sendTelemetry({ temperature: 20, power: 3_000 });
  const made = await gateway.admin.put(`${path}/hot`, limit("charger", 1_000));
  expect(made.status, made.text).toBe(200);
  const idle = await eventually(async () => {
    const found = await get("hot");
    expect(found).toMatchObject({ revision: 1, state: "idle", limits: [], not_confirmed_since: null });
    return found;
  });
  expect(idle.reported_by).toMatch(/^[-0-9a-f]{36}$/);
  expect(await get("hot", gateway)).toMatchObject({ reported_by: null });
  await device.sendTelemetry({ temperature: 50 });
  await eventually(async () =>
    expect(await get("hot")).toMatchObject({
      state: "holding",
      limits: [{ device_id: deviceId, control: "power", unit: "W", kind: "max", value: 1_000, is_holding: true }],
      measured: [{ device_id: deviceId, attribute: "temperature", value: 50 }],
    }),
  );
  expect(await get("hot")).toMatchObject({
    since: ((await get("hot", gateway)) as unknown as { since: string }).since,
  });
  await eventually(async () =>
    expect(await control()).toMatchObject({
      upper_bound: 1_000,
      limited_by: [
        { source: "interlock:hot", class: "interlock", reason: "Too hot: temperature of charger is above 40" },
      ],
    }),
  );
  const reader = cloud.as(await cloud.token({ level: "readonly" }));
  expect((await get("hot", cloud, reader)).measured).toMatchObject([{ value: null }]);
  const refused = await eventually(async () => {
    const answer = await commandsOf(cloud.admin, deviceId).execute({ name: "set_power", arguments: { power: 5_000 } });
    expect(answer.body.execution.state).toBe("ERROR");
    return answer.text;
  });
  expect(refused).toContain("hot");
});

test("the cloud makes, changes and removes an interlock on the gateway, with If-Match and the gateway's refusals", async () => {
  const made = await put("by-cloud", limit("charger", 9_000, 90), { revision: 0 });
  expect(made.body, made.text).toMatchObject({ interlock: { name: "by-cloud", revision: 1 } });
  expect(made.body.pending_change).toBeUndefined();
  expect(await get("by-cloud", gateway)).toMatchObject({ revision: 1 });
  const late = await put("by-cloud", limit("charger", 8_000, 90), { revision: 0 });
  expect([late.status, late.text]).toEqual([409, expect.stringContaining("changed meanwhile")]);
  expect((await put("by-cloud", limit("charger", 8_000, 90), { revision: 1 })).body.interlock?.revision).toBe(2);
  const wrong = await put("wrong", limit("nobody", 1));
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("/when/device")]);
  const user = cloud.as(await cloud.token({ level: "user" }));
  expect((await put("wrong", limit("charger", 1), { as: user })).status).toBe(403);
  const check = await cloud.admin.post<{ is_valid: boolean }>(`${path}/check`, limit("nobody", 1));
  expect(check.body.is_valid).toBe(false);
  expect((await cloud.admin.delete(`${path}/by-cloud`, { headers: { "If-Match": "1" } })).status).toBe(409);
  expect((await cloud.admin.delete(`${path}/by-cloud`)).status).toBe(200);
  expect((await cloud.admin.delete(`${path}/by-cloud`)).status).toBe(404);
  expect((await gateway.admin.get(`${path}/by-cloud`)).status).toBe(404);
  expect((await cloud.admin.get(`${path}/by-cloud`)).status).toBe(404);
});

test("while the gateway is away nothing is known of its interlocks, and changes wait; what it changed itself stays", async () => {
  await gateway.admin.put(`${path}/mine`, limit("charger", 5_000, 95));
  await eventually(async () => expect(await get("mine")).toMatchObject({ revision: 1, state: "idle" }));
  const ids: (string | undefined)[] = [];
  await whileCut(async () => {
    const away = await eventually(async () => {
      const found = await get("mine");
      expect(found.state).toBe("unknown");
      return found;
    });
    expect(away.not_confirmed_since).not.toBeNull();
    expect(away.why).toMatch(/^the gateway is away; it last reported: idle/);
    expect(await control()).toMatchObject({ upper_bound: 1_000, limited_by: [{ source: "interlock:hot" }] });
    const fresh = await put("fresh", limit("charger", 7_000, 95));
    expect(fresh.body, fresh.text).toMatchObject({ interlock: null, pending_change: { state: "PENDING" } });
    const changed = await put("mine", limit("charger", 4_000, 95), { revision: 1 });
    expect(changed.body).toMatchObject({ interlock: { revision: 1 }, pending_change: { state: "PENDING" } });
    expect((await put("mine", limit("charger", 4_000, 95), { revision: 3 })).status).toBe(409);
    expect((await put("fresh", limit("nobody", 1))).status).toBe(400);
    expect((await cloud.admin.delete(`${path}/nothing`)).status).toBe(404);
    ids.push(fresh.body.pending_change?.id, changed.body.pending_change?.id);
    // Somebody at the site changes the same one.
    expect((await gateway.admin.put(`${path}/mine`, limit("charger", 3_000, 95))).status).toBe(200);
  });
  await eventually(async () => expect((await changeOf(ids[0])).state).toBe("DONE"));
  await eventually(async () => expect((await changeOf(ids[1])).state).toBe("OVERRULED"));
  expect(await get("fresh", gateway)).toMatchObject({ revision: 1 });
  await eventually(async () =>
    expect(await get("mine")).toMatchObject({
      revision: 2,
      document: { limits: [{ max: 3_000 }] },
      not_confirmed_since: null,
    }),
  );
  for (const name of ["mine", "fresh"]) await gateway.admin.delete(`${path}/${name}`);
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ interlocks: Wire[] }>(path);
    expect(body.interlocks.map(({ name }) => name)).toEqual(["hot"]);
  });
});

test("the command line shows and changes interlocks in a cloud as on a gateway", async () => {
  const busbar = (...words: readonly string[]) =>
    runBusbar(["interlock", ...words], { env: { BUSBAR_URL: cloud.url, BUSBAR_TOKEN: ADMIN_TOKEN } });
  expect((await busbar("list", pair.site.siteId)).out).toMatch(/hot +condition +holding/);
  await whileCut(async () => {
    await eventually(async () =>
      expect((await busbar("list", pair.site.siteId)).out).toMatch(/hot +condition +unknown/),
    );
    const waits = await busbar("remove", pair.site.siteId, "hot", "--yes");
    expect([waits.code, waits.err]).toEqual([0, expect.stringContaining("The change waits for its gateway")]);
  });
  await eventually(async () => expect((await gateway.admin.get(`${path}/hot`)).status).toBe(404));
  await eventually(async () => expect(await control()).toMatchObject({ limited_by: [], upper_bound: 11_000 }));
});
