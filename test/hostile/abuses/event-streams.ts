// Live events: too many streams, streams that are not read, streams that come back again and again.
import { WebSocket } from "ws";
import { type Abuse, flood, type World } from "../abuse.ts";
import { connectDevice } from "./mqtt-device.ts";

/** Opens streams up to a number; what the abuser's own device reports goes to all of them. */
async function streaming(
  world: World,
  { count, isRead, headers = {} }: { count: number; isRead: boolean; headers?: Readonly<Record<string, string>> },
) {
  const device = await connectDevice(world, await world.configOf(await world.newDevice()));
  const open = new Set<{ destroy(): void }>();
  const endStreams = flood(world, 32, async () => {
    if (open.size >= count) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return;
    }
    const answer = await world.as("readonly").open("GET", "/v3/events", { onNewConnection: true, headers });
    world.count(`${answer.statusCode}`);
    open.add(answer);
    answer.on("close", () => open.delete(answer));
    answer.on("error", () => {});
    if (isRead) answer.resume();
  });
  const text = "v".repeat(4_000);
  const endEvents = flood(world, 1, async (turn) => {
    await device.publish("v3/logs", JSON.stringify({ message: `${turn} ${text}` }));
    await device.publish("v1/telemetry", JSON.stringify({ counter: turn, text: `${turn}` }));
    await new Promise((resolve) => setTimeout(resolve, 2));
  });
  return async () => {
    await endStreams();
    await endEvents();
    for (const answer of open) answer.destroy();
  };
}

/** Pings until it is cut off. */
function pingWithoutEnd(world: World, path: string): Promise<void> {
  const headers = { "X-Service-Auth-Token": world.tokens.readonly };
  const socket = new WebSocket(`${world.url.replace("http", "ws")}${path}`, { headers, localAddress: world.address });
  return new Promise((resolve) => {
    socket.on("open", () => {
      world.count("open");
      socket.pause();
      for (let n = 0; n < 2_000; n++) socket.ping();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      world.count("closed");
      resolve();
    });
    setTimeout(() => socket.terminate(), 2_000).unref();
  });
}

export const EVENT_ABUSES: readonly Abuse[] = [
  {
    name: "2,000 event streams of one token",
    who: "token",
    start: (world) => streaming(world, { count: 2_000, isRead: true }),
  },
  {
    name: "event streams that nobody reads",
    who: "token",
    start: (world) => streaming(world, { count: 200, isRead: false }),
  },
  {
    name: "event streams that begin again and again where they stopped",
    who: "token",
    start: async (world) => {
      const end = await streaming(world, { count: 1, isRead: true });
      const endStorm = flood(world, 32, async () => {
        const headers = { "Last-Event-ID": "1" };
        const answer = await world.as("readonly").open("GET", "/v3/events", { onNewConnection: true, headers });
        world.count(`${answer.statusCode}`);
        answer.destroy();
      });
      return async () => {
        await endStorm();
        await end();
      };
    },
  },
  {
    name: "WebSockets that ping without end and read nothing",
    who: "token",
    start: async (world) => {
      const path = `/v3/devices/${await world.newDevice()}/logs`;
      return flood(world, 32, () => pingWithoutEnd(world, path));
    },
  },
  {
    name: "HEAD of the event stream",
    who: "token",
    start: async (world) =>
      flood(world, 64, () => world.call("readonly", "HEAD", "/v3/events", { onNewConnection: true })),
  },
];
