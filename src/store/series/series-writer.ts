// The engines as the writing thread uses them: one over a store of its own, one over a store that nodes share.
import type { Awaitable } from "#store/awaitable.ts";
import type { StoredSegment } from "./chunk.ts";
import type { StoreState } from "./chunk-reader.ts";
import type { OnDamaged, StoreSpace } from "./chunk-store.ts";
import { countChanges } from "./count-changes.ts";
import { type EngineSettings, type HotSeries, SeriesEngine } from "./engine.ts";
import type { HeldStore } from "./held-store.ts";
import type { OwnChunks, SharedChunks } from "./load-chunk-module.ts";
import { SharedEngine } from "./shared-engine.ts";
import type { WriterOpened, WriterRequest } from "./writer-messages.ts";

type Of<Kind extends WriterRequest["kind"]> = Omit<Extract<WriterRequest, { kind: Kind }>, "kind" | "id">;

/** Unsealed points, and the state of the store that has all others. */
export interface OpenPoints {
  readonly hot: readonly HotSeries[];
  readonly state: StoreState;
}

export interface SeriesWriter {
  readonly opened: Pick<WriterOpened, "isShared" | "definitions" | "latest">;
  readonly held: HeldStore;
  append(batches: readonly Uint8Array[]): Promise<void>;
  snapshot(asked: Of<"snapshot">): Awaitable<OpenPoints>;
  /** What only a shared store has to be asked for. */
  ask(request: SharedQuestion): Promise<unknown>;
  load(asked: Of<"load">): Promise<void>;
  stretches(device: number, from: number, to: number): Promise<readonly StoredSegment[]>;
  newestBefore(device: number, before: number): Promise<number | undefined>;
  deleteDevice(deviceId: string): Promise<void>;
  drop(asked: Of<"drop">): Promise<number>;
  settle(now: number): Promise<void>;
  /** One step of sealing or compaction; false when there was nothing to do. */
  step(now: number, elapsed: number): Promise<boolean>;
  scrub(): Awaitable<void>;
  close(): Awaitable<void>;
  /** In hours since 1970: a query that ends before it need not ask this thread. */
  oldestHour(): number;
  hotPoints(): number;
  /** More points have to wait for a step. */
  isScattered(): boolean;
  /** How many chunks there are, about. */
  countChunks(): Awaitable<number>;
  space(): Awaitable<StoreSpace | undefined>;
}

export type SharedQuestion = Extract<WriterRequest, { kind: "define" | "seriesOf" | "latest" }>;

export interface WriterOptions {
  readonly place: string;
  readonly mustBeDurable?: boolean | undefined;
  readonly settings: EngineSettings;
  readonly forgetDamaged: boolean;
  readonly onDamaged: OnDamaged;
  /** One cell, for what is written to chunks: see count-changes.ts. */
  readonly changes: Int32Array;
}

export async function openOwnWriter(
  chunks: OwnChunks,
  { place, settings, forgetDamaged, onDamaged, changes }: WriterOptions,
): Promise<SeriesWriter> {
  const store = countChanges(await chunks.openStore(place, { forgetDamaged, onDamaged }), changes);
  const engine = await SeriesEngine.open(store, settings, onDamaged).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const seal = async (now: number, elapsed: number) =>
    (await engine.sealSome(now, elapsed)) || (await engine.compactOne(now));
  // Days that are loaded one after the other are not joined again after each of them.
  let isLoading = false;
  return {
    opened: { isShared: false, definitions: engine.definitions(), latest: engine.latest(Date.now()) },
    held: store.held,
    append: (batches) => engine.append(batches),
    snapshot: ({ series, from, to }) => {
      const numbers = series.map((one) => one.series);
      return { hot: engine.snapshot(numbers, from, to), state: [] };
    },
    ask: () => Promise.reject(new Error("this store is not shared")),
    load({ load }) {
      isLoading = true;
      return engine.load(load, Date.now());
    },
    stretches: (device, from, to) => engine.stretches(device, from, to),
    newestBefore: (device, before) => engine.newestBefore(device, before),
    deleteDevice: (deviceId) => engine.deleteDevice(deviceId),
    drop: ({ series, before }) => engine.drop(series, before),
    async settle(now) {
      while ((await seal(now, performance.now())) || engine.joinOne(now));
    },
    async step(now, elapsed) {
      const hasLoaded = isLoading;
      isLoading = false;
      return (await seal(now, elapsed)) || (!hasLoaded && engine.joinOne(now));
    },
    scrub: () => store.scrub(),
    close: () => store.close(),
    oldestHour: () => engine.oldestHour(),
    hotPoints: () => engine.hotPoints,
    isScattered: () => engine.isScattered,
    countChunks: () => store.countChunks(),
    space: () => store.space(),
  };
}

export async function openSharedWriter(
  chunks: SharedChunks,
  { place, mustBeDurable, settings, forgetDamaged, onDamaged }: Omit<WriterOptions, "changes">,
): Promise<SeriesWriter> {
  const store = await chunks.openShared(place, { forgetDamaged, onDamaged, mustBeDurable });
  const engine = new SharedEngine(store, settings, onDamaged);
  return {
    // There may be millions of series: a node asks for those that it needs.
    opened: { isShared: true, definitions: [], latest: [] },
    held: store.held,
    append: (batches) => engine.append(batches),
    snapshot: async ({ series, from, to }) => {
      const hot = await engine.snapshot(series, from, to);
      return { hot, state: engine.stateOf(series) };
    },
    ask(request) {
      if (request.kind === "define") return engine.define(request.wanted);
      return request.kind === "seriesOf" ? engine.seriesOf(request.deviceIds) : engine.latest(request.deviceId);
    },
    load: ({ load }) => engine.load(load, Date.now()),
    stretches: (device, from, to) => engine.stretches(device, from, to),
    newestBefore: (device, before) => engine.newestBefore(device, before),
    deleteDevice: (deviceId) => engine.deleteDevice(deviceId),
    drop: ({ deviceId, series, before }) => engine.drop(deviceId, series, before),
    settle: (now) => engine.settle(now),
    async step(now, elapsed) {
      await engine.claim();
      return (await engine.sealOne(now, elapsed)) || (await engine.compactOne(now));
    },
    scrub: () => store.scrub(),
    close: () => store.close(),
    // Another node may have taken a point of any hour.
    oldestHour: () => Number.NEGATIVE_INFINITY,
    hotPoints: () => engine.hotPoints,
    // Its points are in the database, and a node forgets partitions that it does not seal.
    isScattered: () => false,
    countChunks: () => store.countChunks(),
    space: () => store.space(),
  };
}
