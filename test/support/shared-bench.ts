// The telemetry engines of several nodes on one PostgreSQL, in one thread. Whatever is done is done by the next node, so
// that each node sees what the others did.
import pg from "pg";
import { BatchWriter, type SeriesDefinition } from "#store/series/batch.ts";
import type { ChunkReader } from "#store/series/chunk-reader.ts";
import { chunkModule } from "#store/series/postgres/open-postgres-chunks.ts";
import { reachOf, type SeriesQuery } from "#store/series/query.ts";
import { startEarly } from "#store/series/run-query.ts";
import { SharedEngine } from "#store/series/shared-engine.ts";
import type { SharedStore } from "#store/series/shared-store.ts";
import { createTimesCache } from "#store/series/times-cache.ts";
import type { Points } from "./naive-answer.ts";
import {
  columnsOf,
  type Message,
  NOW,
  notePoints,
  type QueryBench,
  renderRun,
  runQuery,
  SERIES,
} from "./series-bench.ts";

interface Node {
  readonly store: SharedStore;
  readonly reader: ChunkReader;
}

export interface SharedNodes {
  /** New devices for each bench, so that nothing has to be emptied but the journal. All nodes take turns, or the first ones. */
  openBench(name: string, count?: number): Promise<SharedBench>;
  close(): Promise<void>;
}

/** `copy` is a server that follows the first one, and that chunks may be read from. */
export async function openSharedNodes(url: string, count: number, copy?: string): Promise<SharedNodes> {
  const nodes: Node[] = [];
  const onDamaged = (place: object) => {
    throw new Error(`damaged: ${JSON.stringify(place)}`);
  };
  for (let i = 0; i < count; i++) {
    const store = await chunkModule.openShared(url, { forgetDamaged: false, onDamaged });
    nodes.push({ store, reader: await chunkModule.openReader(url, "queries", copy) });
  }
  const client = new pg.Client(url);
  await client.connect();
  return {
    async openBench(name, taking = nodes.length) {
      await client.query("TRUNCATE telemetry_journal");
      const wanted = SERIES.map(({ device, attribute, kind }) => ({ deviceId: `${name} d${device}`, attribute, kind }));
      const [first] = nodes;
      if (first === undefined) throw new Error("there is no node");
      const found: SeriesDefinition[] = [];
      for (const own of Map.groupBy(wanted, ({ deviceId }) => deviceId).values()) {
        found.push(...(await first.store.define(own)));
        // Devices that come one after the other share a partition: these are in different ones.
        const others = Array.from({ length: 15 }, (_, n) => ({ deviceId: `${own[0]?.deviceId} ${n}`, attribute: "a" }));
        await first.store.define(others.map((one) => ({ ...one, kind: "number" as const })));
      }
      const definitions = wanted.map((one) => {
        const own = found.find(({ deviceId, attribute }) => deviceId === one.deviceId && attribute === one.attribute);
        if (own === undefined) throw new Error("a series was not defined");
        return own;
      });
      return new SharedBench(nodes.slice(0, taking), definitions);
    },
    async close() {
      await client.end();
      for (const { store, reader } of nodes) {
        await reader.close();
        await store.close();
      }
    },
  };
}

class SharedBench implements QueryBench {
  readonly points: Points = new Map();
  readonly #nodes: readonly Node[];
  /** In the order of SERIES. */
  readonly #definitions: readonly SeriesDefinition[];
  readonly #times = createTimesCache(1e6);
  #engines: readonly SharedEngine[] = [];
  #turn = 0;
  #asked = 0;

  constructor(nodes: readonly Node[], definitions: readonly SeriesDefinition[]) {
    this.#nodes = nodes;
    this.#definitions = definitions;
    this.#restart();
  }

  #restart(): void {
    this.#engines = this.#nodes.map(({ store }) => new SharedEngine(store, { graceMs: 0, maxHotPoints: 1e9 }));
  }

  #next(): { readonly engine: SharedEngine; readonly reader: ChunkReader } {
    const turn = this.#turn++ % this.#nodes.length;
    const [engine, node] = [this.#engines[turn], this.#nodes[turn]];
    if (engine === undefined || node === undefined) throw new Error("there is no node");
    return { engine, reader: node.reader };
  }

  /** The number that the database gave a series of SERIES. */
  numbered(series: number): SeriesDefinition {
    const found = this.#definitions[SERIES.findIndex((one) => one.series === series)];
    if (found === undefined) throw new Error(`there is no series ${series}`);
    return found;
  }

  #deviceOf(device: number): SeriesDefinition {
    return this.numbered(SERIES.find((one) => one.device === device)?.series ?? 0);
  }

  async append(messages: readonly Message[]): Promise<void> {
    notePoints(this.points, messages);
    // A part by each node: of two writes of the same time the later one counts, whichever node takes it.
    const size = Math.ceil(messages.length / this.#nodes.length);
    for (let from = 0; from < messages.length; from += size) {
      const writer = new BatchWriter();
      for (const { device, at, values } of messages.slice(from, from + size)) {
        writer.message(this.#deviceOf(device).device, at, values.length);
        for (const [series, value] of values) writer.value(this.numbered(series).series, value);
      }
      await this.#next().engine.append([writer.take()]);
    }
  }

  async load(messages: readonly Message[]): Promise<void> {
    notePoints(this.points, messages);
    for (const [device, columns] of columnsOf(messages)) {
      const own = columns.map(([series, column]) => [this.numbered(series).series, column] as const);
      await this.#next().engine.load({ device: this.#deviceOf(device).device, columns: own }, NOW);
    }
  }

  async seal(now: number): Promise<void> {
    await this.#next().engine.settleStep(now);
  }

  async compact(now: number): Promise<void> {
    await this.#next().engine.settleStep(now, "compaction");
  }

  async reopen(): Promise<void> {
    this.#restart();
  }

  async query(query: SeriesQuery): Promise<string> {
    const { engine, reader } = this.#next();
    const items = query.items.map((item) => {
      const { series, device } = this.numbered(item.series ?? 0);
      return { ...item, series, device };
    });
    const reaches = items.map(reachOf);
    const before = Math.max(0, ...reaches.map((reach) => reach.before));
    const after = Math.max(0, ...reaches.map((reach) => reach.after));
    const points = engine
      .snapshot(items, query.from - before, query.to + after)
      .then((hot) => ({ hot, state: engine.stateOf(items) }));
    const needs = { reader, times: this.#times, elapsed: () => 0 };
    const asked = { ...query, items };
    // Both ways in which a node asks.
    if (this.#asked++ % 2 === 0) return await renderRun(startEarly(needs, asked, points));
    const { hot, state } = await points;
    return await runQuery(needs, { ...asked, since: state }, hot);
  }

  async close(): Promise<void> {}
}
