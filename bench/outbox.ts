// What many sites on one PostgreSQL cost each other. Presence: what nodes send each other about the devices that they hear,
// as changes and, as the version before, as whole lists every 10 s; for a quarter, half and all of the fleet. Outbox: one site
// floods; of the others, how many resume from where they stopped, beside what one order for all would have kept; and events a
// second with and without making room. Prints one JSON line. Goals: presence without changes does not grow with devices;
// all quiet sites resume; making room costs at most a fifth of the writes.
//   npm run bench -- outbox [--gateways 2000] [--devices 20] [--rounds 5]
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { instant } from "#core/time/instant.ts";
import { createPresence, DEVICES_PER_MESSAGE, type HeardMessage } from "#service/device/presence.ts";
import type { NodeMessage, Nodes } from "#service/ports/nodes.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { prepared } from "../test/contract/event-outbox-contract.ts";
import { POSTGRES_VERSIONS, startPostgres } from "../test/support/postgres.ts";

const { values } = parseArgs({
  options: {
    gateways: { type: "string", default: "2000" },
    devices: { type: "string", default: "20" },
    rounds: { type: "string", default: "5" },
  },
});
const [gateways, devicesOf, rounds] = [Number(values.gateways), Number(values.devices), Number(values.rounds)];
const EVERY_S = 10;
const ROOM = 16 * 1_048_576;
const FLOOD = 250;
const TURNS = 4;
const TOGETHER = 50;
const EVENT_BYTES = 1_000;
const ALL = { scope: "all", level: "system", kinds: undefined, siteIds: undefined, deviceIds: undefined } as const;
const sum = (all: readonly number[]) => all.reduce((before, one) => before + one, 0);
const round = (value: number, places = 2) => Math.round(value * 10 ** places) / 10 ** places;

const folder = mkdtempSync(join("/var/tmp", "bench-outbox-"));
chmodSync(folder, 0o755);
const server = await startPostgres({ version: POSTGRES_VERSIONS.at(-1) ?? 18, fsync: true, parent: folder });
try {
  const presence = [];
  for (const part of [4, 2, 1]) presence.push(await measurePresence(Math.floor((gateways * devicesOf) / part)));
  const outbox = await measureOutbox();
  const [few, all] = [presence.at(0)?.changes.perRound, presence.at(-1)?.changes.perRound];
  const goals = {
    presenceDoesNotGrow: few?.bytes === all?.bytes,
    allQuietSitesResume: outbox.resume.bySite === gateways,
    roomIsCheap: outbox.writesWithRoom >= 0.8,
  };
  const load = loadavg().map((one) => round(one, 1));
  console.log(
    JSON.stringify({ bench: "outbox", cores: availableParallelism(), load, gateways, presence, outbox, goals }),
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Two nodes; the first hears all devices. What reaches the second one, and what it costs both. */
async function measurePresence(devices: number) {
  const url = await server.database(`presence_${devices}`);
  const [first, second] = [await openPostgresRecords(url), await openPostgresRecords(url)];
  const heard = Array.from({ length: devices }, (_, n) => `0192a7c4-0000-7000-8000-${String(n).padStart(12, "0")}`);
  let elapsed = 0;
  const of = (node: string) => createPresence({ node, elapsed: () => elapsed, everyMs: EVERY_S * 1_000 });
  const [mine, theirs] = [of("first"), of("second")];
  const memory = heapBytes();
  const take = (message: NodeMessage) => void (message.kind === "heard" && theirs.take(message));
  const announce = () => {
    elapsed += EVERY_S * 1_000;
    return mine.announce(heard, () => true);
  };
  try {
    await isReached(first.nodes, second.nodes);
    const start = await exchange([first.nodes, second.nodes], announce(), take);
    const bytes = round((heapBytes() - memory) / devices, 0);
    const changes = await perRound(() => exchange([first.nodes, second.nodes], announce(), take));
    const known = new Set<string>();
    const lists = await perRound(() =>
      exchange([first.nodes, second.nodes], wholeLists(heard), (message) => {
        if (message.kind === "alive") for (const id of message.deviceIds) known.add(id);
      }),
    );
    if (!theirs.isHeardElsewhere(heard.at(-1) ?? "") || known.size !== devices) throw new Error("devices are missing");
    return {
      devices,
      start,
      heapBytesPerDevice: bytes,
      changes: { perRound: changes },
      wholeLists: { perRound: lists },
    };
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}

/** Waits until what one node sends reaches the other. */
async function isReached(from: Nodes, to: Nodes): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = to.listen(() => resolve());
  const again = setInterval(() => from.broadcast({ kind: "webhooks" }), 50);
  await promise;
  clearInterval(again);
  leave();
  // The last of them are still on their way.
  await new Promise((done) => setTimeout(done, 500));
}

function wholeLists(heard: readonly string[]): readonly NodeMessage[] {
  const messages: NodeMessage[] = [];
  for (let at = 0; at < heard.length; at += DEVICES_PER_MESSAGE) {
    messages.push({ kind: "alive", deviceIds: heard.slice(at, at + DEVICES_PER_MESSAGE) });
  }
  return messages;
}

interface Exchange {
  readonly messages: number;
  readonly bytes: number;
  readonly processorMs: number;
}

/** Sends them from the first node, and waits until the second has them all. */
async function exchange(
  [from, to]: readonly [Nodes, Nodes],
  messages: readonly (NodeMessage | HeardMessage)[],
  take: (message: NodeMessage) => void,
): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = messages.length;
  const leave = to.listen((message) => {
    take(message);
    if (--missing === 0) resolve();
  });
  const before = process.cpuUsage();
  for (const message of messages) from.broadcast(message);
  await promise;
  leave();
  const { user, system } = process.cpuUsage(before);
  const bytes = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  return { messages: messages.length, bytes, processorMs: round((user + system) / 1_000, 1) };
}

async function perRound(one: () => Promise<Exchange>): Promise<Exchange> {
  const found: Exchange[] = [];
  for (let n = 0; n < rounds; n++) found.push(await one());
  const mean = (of: (each: Exchange) => number) => found.reduce((sum, each) => sum + of(each), 0) / rounds;
  return {
    messages: round(mean(({ messages }) => messages)),
    bytes: round(mean(({ bytes }) => bytes) / 10, 0) * 10,
    processorMs: round(
      mean(({ processorMs }) => processorMs),
      1,
    ),
  };
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Each site stores one event; then one of them floods, in turns with another database that makes no room. */
async function measureOutbox() {
  const url = await server.database("outbox");
  const roomy = await openPostgresRecords(await server.database("roomy"), { eventBytes: Number.MAX_SAFE_INTEGER });
  const store = await openPostgresRecords(url, { eventBytes: ROOM });
  const sites = Array.from({ length: gateways }, (_, n) => `site-${n}`);
  try {
    const start = await store.outbox.latest();
    for (const { outbox } of [store, roomy]) {
      await outbox.append(sites.map((site) => prepared(`connectivity ${site}/d`)));
    }
    const [withRoom, withoutRoom]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < TURNS; turn++) {
      withoutRoom.push(await flood(roomy));
      withRoom.push(await flood(store));
    }
    let bySite = 0;
    for (const site of sites) {
      const page = await store.outbox.after(start, { ...ALL, siteIds: new Set([site]) }, instant(Date.now()));
      if (page !== undefined) bySite++;
    }
    return {
      floodedMiB: round((TURNS * FLOOD * TOGETHER * EVENT_BYTES) / 1_048_576, 0),
      roomMiB: ROOM / 1_048_576,
      resume: { bySite, byOneOrderForAll: await keptByOneOrder(url) },
      eventsPerSecond: { withoutRoom, withRoom },
      writesWithRoom: round(sum(withRoom) / sum(withoutRoom)),
    };
  } finally {
    await Promise.all([store.close(), roomy.close()]);
  }
}

/** How many of the quiet sites would still have their event, if the oldest events of all sites were deleted. */
async function keptByOneOrder(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ kept: number }>(
      `SELECT count(*)::int AS kept FROM event WHERE site_id <> 'busy' AND total > (SELECT max(total) FROM event) - ${ROOM}`,
    );
    return rows[0]?.kept ?? Number.NaN;
  } finally {
    await client.end();
  }
}

/** Large events of one site, many in each write. Returns how many a second. */
async function flood({ outbox }: RecordStore): Promise<number> {
  const text = "x".repeat(EVENT_BYTES - 220);
  const many = Array.from({ length: TOGETHER }, () => prepared("connectivity busy/d", { text }));
  const began = performance.now();
  for (let n = 0; n < FLOOD; n++) await outbox.append(many);
  return round((FLOOD * TOGETHER) / ((performance.now() - began) / 1_000), 0);
}
