// Two nodes with their threads on one PostgreSQL, and on one that Citus spreads: what one acknowledged, the other one answers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { SeriesRequest, TelemetryStore } from "#service/ports/telemetry-store.ts";
import { BatchWriter } from "#store/series/batch.ts";
import { openSeries } from "#store/series/open-series.ts";
import { chunkModule, postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { SharedEngine } from "#store/series/shared-engine.ts";
import { PARTITIONS, partitionOf } from "#store/series/shared-store.ts";
import { type Citus, HAS_CITUS, startCitus } from "../support/citus.ts";
import { serversAsked, watchTelemetry } from "../support/explain-tasks.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { emptyTelemetry } from "../support/postgres-telemetry.ts";
import { readCsv } from "../support/read-csv.ts";
import { SCATTERED_TELEMETRY } from "../support/scattered-statements.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

interface Server extends Pick<Postgres, "session" | "stop"> {
  crash(): Promise<void>;
}

function nodesContract(start: () => Promise<readonly [server: Server, url: string]>): void {
  let server: Server;
  let url: string;
  const opened: TelemetryStore[] = [];
  beforeAll(async () => {
    [server, url] = await start();
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

  test("a query of what nobody has written yet has no rows", async () => {
    const node = await open();
    for (const request of [asked(), { ...asked(), items: [] }]) expect(await readCsv(node, request)).toBe("");
    await node.append([point("a", 0, 1)]);
    expect(await readCsv(node, asked("b"))).toBe("");
  });

  test("points that come after a crash of the database are read and sealed, whatever was not flushed", async () => {
    const node = await open();
    await node.append([point("a", 0, 1)]);
    const session = await server.session("nodes");
    await session.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
    await session.query("SELECT pg_reload_conf()");
    // None of them is flushed.
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

  test("devices that come one after the other share a partition, and numbers that are taken are passed over", async () => {
    const session = await server.session("nodes");
    await session.query("INSERT INTO telemetry_device (id, device_id) VALUES (16, 'old'), (48, 'older')");
    await session.end();
    const store = await chunkModule.openShared(url, { forgetDamaged: false, onDamaged: () => {} });
    const found: number[] = [];
    for (let n = 0; n < 40; n++) {
      const [one] = await store.define([{ deviceId: `new ${n}`, attribute: "power", kind: "number" }]);
      found.push(partitionOf(one?.device ?? -1));
    }
    await store.close();
    const counts = [...Map.groupBy(found, (partition) => partition).values()].map(({ length }) => length);
    expect(counts).toEqual([13, 16, 11]);
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
}

describe("on PostgreSQL", () =>
  nodesContract(async () => {
    const server = await startPostgres();
    return [server, await server.prepared("nodes")];
  }));

sayIfWithoutCitus();

describe.runIf(HAS_CITUS)("on Citus", () => {
  let cluster: Citus;
  nodesContract(async () => {
    cluster = await startCitus();
    const { coordinator, session, stop } = cluster;
    return [{ session, stop, crash: () => coordinator.crash() }, await cluster.prepared("nodes")];
  });

  test("the telemetry of a partition is on one worker, with all that changes with it, and workers have equally many", async () => {
    const session = await cluster.session("nodes");
    const { rows } = await session.query<{ partitions: number }>(
      `SELECT count(*)::int AS partitions FROM telemetry_partition p
       JOIN citus_shards s ON s.shardid = get_shard_id_for_distribution_column('telemetry_partition', p.partition)
       GROUP BY s.nodeport`,
    );
    expect(rows).toEqual([{ partitions: 8 }, { partitions: 8 }]);
    const groups = await session.query(
      "SELECT count(*)::int AS tables FROM citus_tables WHERE table_name::text LIKE 'telemetry\\_%' GROUP BY colocation_id ORDER BY 1",
    );
    expect(groups.rows.at(-1)).toEqual({ tables: 6 });
    await session.end();
  });

  test("each statement asks one worker; those that ask several are known, with the reason", async () => {
    const watch = watchTelemetry();
    await useEverything(await cluster.prepared("asked")).finally(watch.stop);
    const session = await cluster.session("asked");
    const scattered = new Set<string>();
    const asked = watch.asked();
    for (const one of asked) {
      if ((await serversAsked(session, one)) > 1) scattered.add(one.text.replaceAll(/\s+/g, " ").trim());
    }
    await session.end();
    expect(asked.length).toBeGreaterThan(20);
    expect(scattered.size).toBeGreaterThan(0);
    const isKnown = (text: string) => SCATTERED_TELEMETRY.some(({ matches }) => matches.test(text));
    expect([...scattered].filter((text) => !isKnown(text))).toEqual([]);
  });
});

/** What a store and a reader are asked for, in this thread. */
async function useEverything(url: string): Promise<void> {
  const onDamaged = (place: object) => {
    throw new Error(`damaged: ${JSON.stringify(place)}`);
  };
  const store = await chunkModule.openShared(url, { forgetDamaged: true, onDamaged });
  const reader = await chunkModule.openReader(url, "queries");
  const engine = new SharedEngine(store, { graceMs: 0, maxHotPoints: 1e9 });
  const names = Array.from(
    { length: 4 },
    (_, n) => ({ deviceId: `d${n}`, attribute: "power", kind: "number" }) as const,
  );
  const text = { deviceId: "d0", attribute: "note", kind: "text" } as const;
  const defined = await store.define([...names, text]);
  const [first, note] = [defined[0], defined.at(-1)];
  if (first === undefined || note === undefined) throw new Error("nothing was defined");
  const series = defined.slice(0, names.length);
  for (let hour = 0; hour < 3; hour++) {
    const batch = new BatchWriter();
    for (const { device, series: number } of series) {
      batch.message(device, hour * HOUR, 1);
      batch.value(number, hour);
    }
    batch.message(note.device, hour * HOUR, 1);
    batch.value(note.series, "x");
    await engine.append([batch.take()]);
  }
  await engine.claim();
  await engine.snapshot(series, 0, DAY);
  await engine.settle(5 * DAY);
  await engine.latest("d0");
  await engine.stretches(first.device, 0, DAY);
  await engine.newestBefore(first.device, DAY);
  await store.countChunks();
  for (let n = 0; n <= 2 * PARTITIONS.length; n++) await store.scrub();
  const column = { kind: "number", count: 1, times: Float64Array.of(0), values: Float64Array.of(5) } as const;
  await engine.load({ device: first.device, columns: [[first.series, column]] }, 5 * DAY);
  const ranges = series.map(({ device, series: number }) => ({ device, series: number, from: 0, to: DAY }));
  await reader.counts(ranges);
  await reader.smallChunks(ranges[0] ?? { ...first, from: 0, to: DAY }, { chunks: 9, points: 99, bytes: 9_999 });
  // What is guessed is the first chunk of a day; the second reading asks for its pieces.
  for (const isGuessed of [true, false]) {
    let asked = 0;
    const wanted = () => ({ parts: isGuessed || asked++ > 0, content: isGuessed || asked > 0 });
    await reader.open(ranges.map((range) => ({ ...range, lookBack: -DAY, at: 0, wanted }))).view(() => undefined);
  }
  await engine.drop("d1", [series[1]?.series ?? 0], 5 * DAY);
  await engine.deleteDevice("d2");
  await reader.close();
  await store.close();
}
