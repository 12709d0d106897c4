// Live events: too many streams, streams that are not read, streams that come back again and again.
import { type Abuse, flood, type World } from "../abuse.ts";
import { connectDevice } from "./mqtt-device.ts";

/** Opens streams up to a number; what the abuser's own device tells goes to all of them. */
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
    name: "HEAD of the event stream",
    who: "token",
    start: async (world) =>
      flood(world, 64, () => world.call("readonly", "HEAD", "/v3/events", { onNewConnection: true })),
  },
];
