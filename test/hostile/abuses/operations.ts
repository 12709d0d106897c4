// What whoever runs an installation may do, without end: settings, roll-outs, exports, backups; and TLS handshakes that
// nobody finishes, and guesses at the code by which a gateway joins a cloud.
import type { Socket } from "node:net";
import { type Abuse, flood, type World } from "../abuse.ts";
import { openSocket } from "./mqtt-device.ts";
import { deviceWithPoints } from "./reads.ts";

const STALLED = 1_000;
/** The head of a TLS record that announces a ClientHello, of which nothing comes. */
const HELLO_HEAD = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]);

/** Reads an answer to its end and keeps nothing of it. */
async function readAll(world: World, level: "readonly" | "system", method: string, path: string): Promise<void> {
  const answer = await world.as(level).open(method, path, { timeoutMs: 60_000 });
  world.count(`${answer.statusCode}`);
  for await (const _piece of answer) world.count("pieces");
}

/** Connections that begin a handshake and wait for ever, as many as may be open at once. */
function stalledHandshakes(portOf: (world: World) => number): Abuse["start"] {
  return async (world) => {
    const open = new Set<Socket>();
    const end = flood(world, 32, async () => {
      if (open.size >= STALLED) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return;
      }
      const socket = await openSocket(world, portOf(world));
      open.add(socket);
      socket.on("close", () => open.delete(socket));
      socket.resume();
      socket.write(HELLO_HEAD);
      world.count("opened");
    });
    return async () => {
      await end();
      for (const socket of open) socket.destroy();
    };
  };
}

export const OPERATION_ABUSES: readonly Abuse[] = [
  {
    name: "settings that change with every call",
    who: "token",
    start: async (world) => {
      const path = "/v3/system/settings/logs.temporary_retention";
      const end = flood(world, 16, (turn) =>
        world.call("system", "PUT", path, { body: { value: `${(turn % 30) + 1}d` } }),
      );
      return async () => {
        await end();
        await world.call("system", "DELETE", path);
      };
    },
  },
  {
    name: "people who get another password with every call",
    who: "token",
    start: async (world) => {
      const person = { name: "Anna", mail: "hostile@example.org", level: "readonly", site_ids: [world.siteId] };
      const { account } = await world.ask<{ account: { id: string } }>("owner", "POST", "/v3/accounts", person);
      const path = `/v3/accounts/${account.id}`;
      return flood(world, 32, (turn) =>
        world.call("owner", "PATCH", path, { body: { password: `four plain words ${turn}` } }),
      );
    },
  },
  {
    name: "roll-outs of 40 devices without end",
    who: "token",
    start: async (world) => {
      await Promise.all(Array.from({ length: 40 }, () => world.newDevice()));
      const { blueprint } = await world.ask<{ blueprint: { id: string } }>(
        "owner",
        "POST",
        "/v3/blueprints/upload",
        "blueprint_spec: device/3.0\ndisplay_name: Next\nruntime: { type: embedded }\n",
      );
      const body = { blueprint_id: blueprint.id, devices: { site_ids: [world.siteId] }, stages: ["1", "100%"] };
      const made: string[] = [];
      const end = flood(world, 8, async () => {
        const { text } = await world.call("system", "POST", "/v3/rollouts", { body });
        const { rollout } = JSON.parse(text) as { rollout?: { id: string } };
        if (rollout !== undefined) made.push(rollout.id);
      });
      return async () => {
        await end();
        await Promise.all(made.map((id) => world.call("system", "POST", `/v3/rollouts/${id}/abort`, { body: {} })));
      };
    },
  },
  {
    name: "exports of a whole site, again and again",
    who: "token",
    start: async (world) => {
      await deviceWithPoints(world, 80_000);
      const path = `/v3/sites/${world.siteId}/telemetry/export`;
      return flood(world, 16, (turn) =>
        readAll(world, "readonly", "GET", `${path}?form=${turn % 2 === 0 ? "csv" : "jsonl"}`),
      );
    },
  },
  {
    name: "backups without end",
    who: "token",
    start: async (world) => flood(world, 8, () => readAll(world, "system", "POST", "/v3/backups")),
  },
  {
    name: "1,000 TLS handshakes with the broker that nobody finishes",
    who: "address",
    start: stalledHandshakes(({ mqttTlsPort }) => mqttTlsPort),
  },
];

/** Of a cloud that speaks HTTPS. */
export const CLOUD_ABUSES: readonly Abuse[] = [
  {
    name: "codes of gateways that are guessed",
    who: "address",
    role: "cloud",
    start: async (world) =>
      flood(world, 32, (turn) => {
        const body = { code: `guess-${turn}`, name: "Guess", version: "1" };
        return world.call("nobody", "POST", "/v3/gateways/join", { body });
      }),
  },
  {
    name: "1,000 TLS handshakes with HTTPS that nobody finishes",
    who: "address",
    role: "cloud",
    start: stalledHandshakes(({ port }) => port),
  },
];
