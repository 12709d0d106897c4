// Bodies and queries that cost more to read than to write, from tokens of level user.
import { type Abuse, flood, type World } from "../abuse.ts";

const MEBIBYTE = 1_048_576;
/** What stands around an argument in a body of at most 1 MiB. */
const ENVELOPE = 200;

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const freeCommand = (value: string) => `{"name":"free","arguments":{"value":${value}}}`;

/** Creates executions of this body on a device that is away. */
function createFlood(world: World, { atOnce, body, level = "user" as const, headers = () => ({}) }: CreateFlood) {
  return world.newDevice().then((id) =>
    flood(world, atOnce, (turn) =>
      world.call(level, "POST", `/v3/devices/${id}/commands/executions`, {
        body: typeof body === "string" ? body : body(turn),
        headers: headers(turn),
      }),
    ),
  );
}

interface CreateFlood {
  readonly atOnce: number;
  readonly body: string | ((turn: number) => string);
  readonly level?: "user" | "readonly";
  readonly headers?: (turn: number) => Readonly<Record<string, string>>;
}

export const BODY_ABUSES: readonly Abuse[] = [
  {
    name: "arguments nested 3,500 deep",
    who: "token",
    start: (world) => createFlood(world, { atOnce: 4, body: freeCommand(nested(3_500)) }),
  },
  {
    name: "arguments nested 5,000 deep with an Idempotency-Key",
    who: "token",
    start: (world) =>
      createFlood(world, {
        atOnce: 4,
        body: freeCommand(nested(5_000)),
        headers: (turn) => ({ "Idempotency-Key": `deep-${turn}` }),
      }),
  },
  {
    name: "configuration nested 100,000 deep",
    who: "token",
    start: async (world) => {
      const path = `/v3/devices/${await world.newDevice()}/configuration/limits`;
      const body = `{"value":${nested(100_000)}}`;
      return flood(world, 4, () => world.call("user", "PUT", path, { body }));
    },
  },
  {
    name: "a held property of a simulated device nested 3,500 deep",
    who: "token",
    start: async (world) => {
      const { device_id: id } = await world.ask<{ device_id: string }>(
        "owner",
        "POST",
        "/v3/provisioning/simulated_device",
        {
          name: "Brick",
          site_id: world.siteId,
          blueprint_id: world.blueprintId,
        },
      );
      const body = `{"properties":{"detail":${nested(3_500)}}}`;
      return flood(world, 2, () => world.call("owner", "PATCH", `/v3/devices/${id}/simulation`, { body }));
    },
  },
  {
    name: "bodies of half a million values",
    who: "token",
    start: (world) => createFlood(world, { atOnce: 4, body: freeCommand(`[${"[],".repeat(300_000)}[]]`) }),
  },
  {
    name: "46,000 unknown arguments against 300 declared ones",
    who: "token",
    start: (world) => {
      const names = Array.from({ length: 46_000 }, (_, n) => `"argument_x${n}":1`);
      return createFlood(world, { atOnce: 2, body: `{"name":"wide","arguments":{${names.join(",")}}}` });
    },
  },
  {
    name: "46,000 unknown fields beside a command",
    who: "token",
    start: (world) => {
      const names = Array.from({ length: 46_000 }, (_, n) => `"nam${n}":1`);
      return createFlood(world, { atOnce: 2, body: `{"name":"echo",${names.join(",")}}` });
    },
  },
  {
    name: "thousands of unknown query parameters",
    who: "token",
    start: async (world) => {
      const query = Array.from({ length: 2_000 }, (_, n) => `lim${n}=`).join("&");
      return flood(world, 8, () => world.call("readonly", "GET", `/v3/devices?${query}`));
    },
  },
  {
    name: "texts of 1 MiB as arguments",
    who: "token",
    start: (world) => {
      const text = "x".repeat(MEBIBYTE - ENVELOPE);
      return createFlood(world, { atOnce: 4, body: `{"name":"free","arguments":{"text":"${text}"}}` });
    },
  },
  {
    name: "texts of 1 MiB full of escapes",
    who: "token",
    start: (world) => {
      const text = "\\u0041".repeat(Math.floor((MEBIBYTE - ENVELOPE) / 6));
      return createFlood(world, { atOnce: 4, body: `{"name":"free","arguments":{"text":"${text}"}}` });
    },
  },
  {
    name: "commands of 1 MiB to a device that is connected",
    who: "token",
    start: async (world) => {
      const { stop, deviceId } = await silentDevice(world);
      const value = JSON.stringify("y".repeat(MEBIBYTE - ENVELOPE));
      const path = `/v3/devices/${deviceId}/commands/executions`;
      const end = flood(world, 4, () => world.call("user", "POST", path, { body: freeCommand(value) }));
      return async () => {
        await end();
        stop();
      };
    },
  },
  {
    name: "commands without end, each with a key of its own",
    who: "token",
    start: (world) =>
      createFlood(world, {
        atOnce: 32,
        body: '{"name":"echo","arguments":{"number":1},"ephemeral":true}',
        headers: (turn) => ({ "Idempotency-Key": `${process.pid}-${turn}` }),
      }),
  },
  {
    name: "the same Idempotency-Key from 64 calls at once",
    who: "token",
    start: (world) =>
      createFlood(world, {
        atOnce: 64,
        body: '{"name":"echo","arguments":{"number":1}}',
        headers: (turn) => ({ "Idempotency-Key": `same-${Math.floor(turn / 64)}` }),
      }),
  },
  {
    name: "200 calls that wait for a device that is away",
    who: "token",
    start: async (world) => {
      const ids = await Promise.all(Array.from({ length: 4 }, () => world.newDevice()));
      return flood(world, 200, (turn) => {
        world.count("wait");
        const path = `/v3/devices/${ids[turn % ids.length]}/commands/execute`;
        return world.call("user", "POST", path, { body: '{"name":"echo"}', headers: { Prefer: "wait=1" } });
      });
    },
  },
  {
    name: "arguments that a schema's pattern takes for ever to refuse",
    who: "token",
    start: (world) => {
      const value = JSON.stringify(`${"a".repeat(60)}!`);
      return createFlood(world, { atOnce: 8, body: `{"name":"pattern","arguments":{"value":${value}}}` });
    },
  },
  {
    name: "configuration written without end",
    who: "token",
    start: async (world) => {
      const path = `/v3/devices/${await world.newDevice()}/configuration/limits`;
      const text = "c".repeat(10_000);
      return flood(world, 16, (turn) => world.call("user", "PUT", path, { body: { text: `${turn}${text}` } }));
    },
  },
];

async function silentDevice(world: World): Promise<{ readonly deviceId: string; readonly stop: () => void }> {
  const { connectDevice } = await import("./mqtt-device.ts");
  const deviceId = await world.newDevice();
  const device = await connectDevice(world, await world.configOf(deviceId));
  await device.subscribe();
  return { deviceId, stop: () => device.socket.destroy() };
}
