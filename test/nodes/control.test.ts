// Claims where several nodes share the records: one node tells the device, whichever node was asked, and another one takes over.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listen } from "../support/listen.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { NODE_ADMIN_TOKEN, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const MANIFEST = `blueprint_spec: device/3.0
display_name: Heater
runtime: {type: embedded}
telemetry: {power: {type: float, unit: W, display_name: Power}}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments: {power: {type: float, unit: W, min: 0, max: 5000, required: true, display_name: Power}}
.busbar: {controls: {power: {command: set_power, argument: power, reads: power, fallback: {value: 0}}}}
`;

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 60_000, interval: 100 });

test("one node tells the device what was claimed at any of them, and another one takes over", async () => {
  const url = await server.prepared("control");
  const one = await startNode({ url, flags: ["--role", "gateway"] });
  const other = await startNode({ url, like: one, flags: ["--role", "gateway"] });
  const site = await makeNodeSite(one.admin, MANIFEST);
  const id = await site.device("Heater");
  const device = await connectAt(await site.configOf(id), other.mqttPort);
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ power: command.arguments["power"] });
  });
  const powers = () => device.commands.map((command) => command.arguments["power"]);
  const path = `/v3/devices/${id}/controls/power`;
  const read = async (node: typeof one) => (await node.admin.get(path)).body.control;
  const claim = async (node: typeof one, value: number) =>
    expect((await node.admin.post(`${path}/claims`, { value, reason: "test", lease: "1h" })).status).toBe(200);

  await claim(one, 1000);
  // At once, at both.
  for (const node of [one, other]) expect(await read(node)).toMatchObject({ value: 1000, winner: { reason: "test" } });
  await eventually(() => expect(powers()).toEqual([1000]));
  await claim(other, 2000);
  await eventually(() => expect(powers()).toEqual([1000, 2000]));
  for (const node of [one, other]) {
    await eventually(async () => expect(await read(node)).toMatchObject({ written: 2000, follow: "followed" }));
    const { controls } = (await node.admin.get(`/v3/sites/${site.siteId}/controls`)).body;
    expect(controls.map((control: { device_id: string }) => control.device_id)).toEqual([id]);
  }
  // Nobody tells it twice.
  for (const value of [3000, 100, 4000]) {
    await claim(value === 100 ? one : other, value);
    await eventually(() => expect(powers().at(-1)).toBe(value));
  }
  expect(powers()).toEqual([1000, 2000, 3000, 100, 4000]);

  await one.stop();
  await claim(other, 500);
  await eventually(() => expect(powers().at(-1)).toBe(500));
  const { winner } = await read(other);
  expect((await other.admin.delete(`${path}/claims/${winner.id}`)).status).toBe(200);
  await eventually(async () => expect(await read(other)).toMatchObject({ value: null, written: null, follow: "idle" }));
  expect(powers().at(-1)).toBe(0);
});

test("an interlock holds at every node, whichever runs the cycle, and listeners at every node hear of controls", async () => {
  const url = await server.prepared("interlocks");
  const one = await startNode({ url, flags: ["--role", "gateway"] });
  const other = await startNode({ url, like: one, flags: ["--role", "gateway"] });
  const nodes = [one, other];
  const site = await makeNodeSite(one.admin, MANIFEST);
  const id = await site.device("Heater");
  const device = await connectAt(await site.configOf(id), other.mqttPort);
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ power: command.arguments["power"] });
  });
  const powers = () => device.commands.map((command) => command.arguments["power"]);
  const path = `/v3/devices/${id}/controls/power`;
  const streams = await Promise.all(
    nodes.map((node) => listen(node.url, NODE_ADMIN_TOKEN, { query: `?kind.in=control&device_id.in=${id}` })),
  );
  const heard = (value: number) =>
    Promise.all(
      streams.map((stream) =>
        stream.next(({ data }) => {
          const { value: now, follow } = data["control"] as { value: number | null; follow: string };
          return now === value && follow === "followed";
        }),
      ),
    );
  const claimed = await other.admin.post(`${path}/claims`, { value: 4000, reason: "test", lease: "1h" });
  expect(claimed.status).toBe(200);
  await heard(4000);
  const interlock = {
    kind: "condition",
    when: { device: "heater", attribute: "power", above: 2000, hysteresis: 1500 },
    stale_after: "1d",
    hold_for: "1h",
    limits: [{ device: "heater", control: "power", max: 1000 }],
  };
  expect((await other.admin.put(`/v3/sites/${site.siteId}/interlocks/hot`, interlock)).status).toBe(200);
  await heard(1000);
  // One node told it, once.
  expect(powers()).toEqual([4000, 1000]);
  for (const node of nodes) {
    await eventually(async () => {
      const input = { name: "set_power", arguments: { power: 3000 } };
      const { status, body } = await node.admin.post(`/v3/devices/${id}/commands/execute`, input);
      expect([status, body.errors?.[0]?.code]).toEqual([409, "interlocked"]);
    });
    const { control } = (await node.admin.get(path)).body;
    expect(control).toMatchObject({ value: 1000, limited_by: [{ source: "interlock:hot" }] });
  }
  // Whichever of them ran the cycle, the other one goes on.
  await one.stop();
  const { winner } = (await other.admin.get(path)).body.control;
  expect((await other.admin.post(`${path}/claims/${winner.id}/renew`, { lease: "2h" })).status).toBe(200);
  expect((await other.admin.post(`${path}/claims`, { value: 700, reason: "test", lease: "1h" })).status).toBe(200);
  // The node that takes over may repeat what holds. It says nothing else.
  await eventually(() => expect(powers().filter((power, n) => power !== powers()[n - 1])).toEqual([4000, 1000, 700]));
  expect((await other.admin.get(`/v3/sites/${site.siteId}/interlocks/hot`)).body.interlock.state).toBe("holding");
});
