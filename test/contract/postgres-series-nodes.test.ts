// Two nodes with their threads on one PostgreSQL: what one acknowledged, the other one answers.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { SeriesRequest, TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { emptyTelemetry } from "../support/postgres-telemetry.ts";
import { readCsv } from "../support/read-csv.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let server: Postgres;
let url: string;
const opened: TelemetryStore[] = [];
beforeAll(async () => {
  server = await startPostgres();
  url = await server.prepared("nodes");
});
afterAll(() => server.stop());
beforeEach(() => emptyTelemetry(url));
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close().catch(() => {});
});

async function open(): Promise<TelemetryStore> {
  const store = await openSeries(postgresChunks(url), { graceMs: 0, maxHotPoints: 1e6, readers: 1 }, (error) => {
    throw error;
  });
  opened.push(store);
  return store;
}

const point = (deviceId: string, at: number, power: number) => ({
  deviceId,
  at: instant(at),
  values: new Map([["power", power]]),
});

function asked(deviceId = "a", granularityMs = 1_000): SeriesRequest {
  const item = { attribute: "power", kind: "number", aggregation: "last", lookAroundMs: undefined } as const;
  return {
    requester: "test",
    from: instant(0),
    to: instant(10 * DAY),
    items: [{ deviceId, granularityMs, ...item }],
  };
}

test("each node reads at once what the other one acknowledged, as history and as current value", async () => {
  const nodes = [await open(), await open()] as const;
  let text = "";
  for (let i = 0; i < 20; i++) {
    const [writing, reading] = i % 2 === 0 ? nodes : nodes.toReversed();
    await writing?.append([point("a", i * 1_000, i)]);
    text += `${i},${i}\n`;
    expect(await readCsv(reading as TelemetryStore, asked())).toBe(text);
    expect((await reading?.current("a"))?.get("power")).toEqual({ at: i * 1_000, value: i });
  }
});

test("points that come after a crash of the database are read and sealed, though it gives numbers of commits out again", async () => {
  const node = await open();
  await node.append([point("a", 0, 1)]);
  const session = await server.session("nodes");
  await session.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
  await session.query("SELECT pg_reload_conf()");
  // Each has a number, and none of them is flushed.
  for (let i = 0; i < 500; i++) await session.query("SELECT pg_notify('nobody', '')");
  expect(await readCsv(node, asked())).toBe("0,1\n");
  await server.crash();
  await expect.poll(() => node.append([point("a", 1_000, 2)]).then(() => "stored", String)).toBe("stored");
  await expect.poll(() => readCsv(node, asked()).catch(String)).toBe("0,1\n1,2\n");
  await node.settle(instant(DAY));
  for (const one of [node, await open()]) expect(await readCsv(one, asked())).toBe("0,1\n1,2\n");
});

test("of two writes of the same time the later one counts, on every node, sealed or not", async () => {
  const [one, two] = [await open(), await open()];
  for (let i = 1; i <= 6; i++) {
    await (i % 2 === 0 ? one : two).append([point("a", 5_000, i)]);
    if (i === 3) await two.settle(instant(DAY));
    for (const node of [one, two]) expect(await readCsv(node, asked())).toBe(`5,${i}\n`);
  }
});

test("nodes that define the same series at the same moment mean the same one", async () => {
  const nodes = [await open(), await open(), await open()];
  const devices = Array.from({ length: 20 }, (_, i) => `device ${i}`);
  await Promise.all(nodes.map((node, n) => node.append(devices.map((id) => point(id, n * 1_000, n)))));
  for (const node of nodes) {
    for (const id of devices) expect(await readCsv(node, asked(id))).toBe("0,0\n1,1\n2,2\n");
  }
});

test("what one node sealed and joined while others wrote is there once on every node", async () => {
  const nodes = [await open(), await open()] as const;
  const count = 600;
  const write = async (node: TelemetryStore, first: number) => {
    for (let i = first; i < count; i += 2) await node.append([point("a", i * 600_000, i)]);
  };
  let isWriting = true;
  const settle = async (node: TelemetryStore) => {
    while (isWriting) await node.settle(instant(10 * DAY));
  };
  const settling = nodes.map(settle);
  await Promise.all(nodes.map((node, n) => write(node, n)));
  isWriting = false;
  await Promise.all(settling);
  await nodes[1].settle(instant(10 * DAY));
  const expected = Array.from({ length: count }, (_, i) => `${i * 600},${i}\n`).join("");
  for (const node of nodes) expect(await readCsv(node, asked())).toBe(expected);
});

test("what one node loads, deletes or drops is so on the other one", async () => {
  const [one, two] = [await open(), await open()];
  await one.append([point("a", 0, 1), point("b", 0, 7)]);
  expect(await readCsv(two, asked())).toBe("0,1\n");
  const times = Float64Array.of(0, HOUR);
  await two.load("a", [{ attribute: "power", kind: "number", count: 2, times, values: Float64Array.of(5, 6) }]);
  for (const node of [one, two]) expect(await readCsv(node, asked())).toBe("0,5\n3600,6\n");
  await one.settle(instant(3 * DAY));
  expect(await two.drop("a", { only: ["power"] }, instant(2 * DAY))).toBeGreaterThan(0);
  expect(await readCsv(one, asked())).toBe("");
  await two.append([point("a", 2_000, 3)]);
  await one.deleteDevice("a");
  for (const node of [one, two]) {
    expect(await readCsv(node, asked())).toBe("");
    expect(await node.current("a")).toEqual(new Map());
    expect(await readCsv(node, asked("b"))).toBe("0,7\n");
  }
});

test("points that a node sealed and another one still has in memory do not hide a later load", async () => {
  const [one, two] = [await open(), await open()];
  await one.append([point("a", 0, 1), point("a", 5 * DAY, 2)]);
  expect(await readCsv(two, asked())).toBe("0,1\n432000,2\n");
  await one.settle(instant(DAY));
  const values = Float64Array.of(9);
  await one.load("a", [{ attribute: "power", kind: "number", count: 1, times: Float64Array.of(0), values }]);
  for (const node of [one, two, await open()]) expect(await readCsv(node, asked())).toBe("0,9\n432000,2\n");
});

test("a node that was cut off from the database goes on, and has lost nothing that it acknowledged", async () => {
  const [one, two] = [await open(), await open()];
  await one.append([point("a", 0, 1)]);
  await server.crash();
  const patiently = async (work: () => Promise<unknown>) => {
    await expect.poll(() => work().then(() => "done", String)).toBe("done");
  };
  await patiently(() => two.append([point("a", 1_000, 2)]));
  await patiently(() => one.settle(instant(DAY)));
  for (const node of [one, two]) await patiently(() => readCsv(node, asked()));
  expect(await readCsv(one, asked())).toBe("0,1\n1,2\n");
});
