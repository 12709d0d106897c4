// A device that is connected to a cloud without a gateway is controlled there as on a gateway.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite, upload } from "../support/command-site.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { listen } from "../support/listen.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";

const clocks = createMovableClocks();
const cloud = useServer(["--role", "cloud", "--mqtt-port", "0"], { clocks });

const MANIFEST = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: W, display_name: Power}
  temperature: {type: float, unit: Cel, display_name: Temperature}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: W, min: 0, max: 11000, required: true, display_name: Power}
.busbar:
  controls:
    power: {command: set_power, argument: power, reads: power, fallback: {value: 0}}
`;

const eventually = <Result>(check: () => Promise<Result> | Result) =>
  vi.waitFor(check, { timeout: 60_000, interval: 100 });

let site: CommandSite;
let device: FakeDevice;
let id = "";
let path = "";

beforeAll(async () => {
  site = await makeCommandSite(cloud, "Own");
  id = await site.device("charger", { blueprint_id: await upload(cloud, MANIFEST) });
  path = `/v3/devices/${id}/controls/power`;
  device = await connectFakeDevice(await site.configOf(id));
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ power: command.arguments["power"] });
  });
});

afterAll(() => device.drop());

const read = async () => (await cloud.admin.get<{ control: object }>(path)).body.control;
const powers = () => device.commands.map((command) => command.arguments["power"]);

test("claims are told to the device, followed, heard of, and ended by the fallback; interlocks hold, too", async () => {
  const stream = await listen(cloud.url, ADMIN_TOKEN, { query: `?kind.in=control&device_id.in=${id}` });
  const made = await cloud.admin.post(`${path}/claims`, { value: 4_000, reason: "test", lease: "10m" });
  expect(made.status, made.text).toBe(200);
  await eventually(async () =>
    expect(await read()).toMatchObject({ value: 4_000, follow: "followed", not_confirmed_since: null }),
  );
  await stream.next(({ data }) => (data["control"] as { follow: string }).follow === "followed");
  const { body } = await cloud.admin.get<{ controls: object[] }>(`/v3/sites/${site.siteId}/controls`);
  expect(body.controls).toMatchObject([{ device_id: id, value: 4_000 }]);
  await device.sendTelemetry({ temperature: 50 });
  const interlock = await cloud.admin.put(`/v3/sites/${site.siteId}/interlocks/hot`, {
    kind: "condition",
    when: { device: "charger", attribute: "temperature", above: 40 },
    stale_after: "1d",
    limits: [{ device: "charger", control: "power", max: 1_000 }],
  });
  expect(interlock.body, interlock.text).toMatchObject({ interlock: { reported_by: null, state: "holding" } });
  await eventually(() => expect(powers()).toEqual([4_000, 1_000]));
  const refused = await commandsOf(cloud.admin, id).execute({ name: "set_power", arguments: { power: 5_000 } });
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "interlocked"]);
  const command = await commandsOf(cloud.admin, id).execute({ name: "set_power", arguments: { power: 500 } });
  expect(command.status).toBe(200);
  await eventually(async () =>
    expect(await read()).toMatchObject({ value: 500, winner: { cause: `execution:${command.body.execution.id}` } }),
  );
  clocks.advance(8 * 86_400_000);
  await eventually(async () => expect(await read()).toMatchObject({ value: null, winner: null }));
  await eventually(() => expect(powers().at(-1)).toBe(0));
});
