// A command for many devices behind a gateway, and a scheduled one, in a cloud of two nodes: a node that is killed in the middle
// leaves the rest to the other one, and nothing runs twice.
import { expect, onTestFinished, test } from "vitest";
import { NodeVictim } from "../chaos/node-victim.ts";
import { makeCommandSite } from "../support/command-site.ts";
import type { FakeDevice } from "../support/fake-device.ts";
import { eventually, isLinked } from "../support/linked-pair.ts";
import { startPostgres } from "../support/postgres.ts";
import { useServer } from "../support/server.ts";
import type { Session } from "../support/session.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

/** Longer than the other node takes to start. */
const PATIENT = ["--commands-response-timeout", "10m"];
const gateway = useServer(["--mqtt-port", "0", ...PATIENT]);

const DEVICES = 6;
const PARALLEL = 2;

test("a bulk command and a schedule of a killed node are gone on with by the other node, each device once", {
  timeout: 600_000,
}, async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const options = { url: await server.prepared("bulk"), flags: ["--mqtt-port", "off", ...PATIENT] };
  const [first, other] = [new NodeVictim(options), new NodeVictim(options)];
  onTestFinished(async () => void (await Promise.all([first.kill(), other.kill()])));
  await first.start();
  const proxy = await startTcpProxy(portOf(first));
  onTestFinished(() => proxy.stop());

  const site = await makeCommandSite(gateway, "bulk");
  const { code } = (await sessionOf(first).post("/v3/gateways/join_codes", { name: "North" })).body;
  const joined = await gateway.admin.post("/v3/uplink", { url: `http://127.0.0.1:${proxy.port}`, code });
  expect(joined.status, joined.text).toBe(200);
  await isLinked(gateway, true);
  const { ids, devices } = await makeDevices(site);
  for (const id of ids) {
    await eventually(async () => expect((await sessionOf(first).get(`/v3/devices/${id}`)).status).toBe(200));
  }

  /** While it is closed, devices have a command and say nothing. */
  const gate = Promise.withResolvers<void>();
  for (const device of devices) {
    device.onCommand(async (command) => {
      await gate.promise;
      await command.completed();
    });
  }
  const begun = () => devices.map(({ commands }) => commands.length);
  const input = { name: "status", devices: { device_ids: ids }, rate: 100, parallel: PARALLEL };
  const made = await sessionOf(first).post("/v3/commands/bulk", input);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const path = `/v3/commands/bulk/${made.body.bulk.id}`;
  await eventually(async () => expect(sum(begun())).toBe(PARALLEL));

  await other.start();
  await first.kill();
  proxy.cut();
  proxy.accept(portOf(other));
  await isLinked(gateway, true);
  gate.resolve();
  await eventually(async () => expect((await sessionOf(other).get(path)).body.bulk.ended_at).not.toBeNull());
  expect((await sessionOf(other).get(path)).body.bulk.devices).toMatchObject({ success: DEVICES, waiting: 0 });
  expect(begun()).toEqual(ids.map(() => 1));
  const members = (await sessionOf(other).get(`${path}/devices?limit=100`)).body.devices as Member[];
  for (const { device_id, execution_id } of members) {
    // The same on both sides.
    for (const session of [sessionOf(other), gateway.admin]) {
      expect(await executionsOf(session, device_id)).toEqual([[execution_id, "SUCCESS"]]);
    }
  }

  await first.start();
  const at = new Date(Date.now() + 3_000).toISOString();
  const schedule = { name: "Later", bulk: { name: "status", devices: { device_ids: ids } }, at, missed: "run_late" };
  const planned = await sessionOf(first).post("/v3/commands/schedules", schedule);
  expect(planned.status, JSON.stringify(planned.body)).toBe(200);
  await first.kill();
  await eventually(async () => expect(begun()).toEqual(ids.map(() => 2)));
  const listed = (await sessionOf(other).get("/v3/commands/bulk")).body.bulks as readonly { ended_at: string | null }[];
  expect(listed).toHaveLength(2);
  await eventually(async () => {
    const { bulks } = (await sessionOf(other).get("/v3/commands/bulk")).body as {
      bulks: { ended_at: string | null }[];
    };
    expect(bulks.every(({ ended_at }) => ended_at !== null)).toBe(true);
  });
  expect(begun()).toEqual(ids.map(() => 2));
});

interface Member {
  readonly device_id: string;
  readonly execution_id: string;
}

async function executionsOf(session: { get(path: string): Promise<{ readonly body: unknown }> }, deviceId: string) {
  const { body } = await session.get(`/v3/devices/${deviceId}/commands/executions`);
  return (body as { executions: Execution[] }).executions.map(({ id, state }) => [id, state]);
}

type Execution = { readonly id: string; readonly state: string };

async function makeDevices(site: Awaited<ReturnType<typeof makeCommandSite>>) {
  const ids: string[] = [];
  const devices: FakeDevice[] = [];
  for (let n = 0; n < DEVICES; n++) {
    ids.push(await site.device(`member-${n}`));
    devices.push(await site.connect(ids[n] ?? ""));
  }
  return { ids, devices };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function running(victim: NodeVictim) {
  if (victim.current === undefined) throw new Error("the node runs");
  return victim.current;
}

const sessionOf = (victim: NodeVictim): Session => running(victim).session;
const portOf = (victim: NodeVictim): number => Number(new URL(running(victim).url).port);
