// The one thread that writes telemetry. Everything that has arrived meanwhile shares one commit. Sealing and compaction
// run in small steps in between, so that an acknowledgement never waits for more than one step.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import { createSqliteChunkStore } from "#store/series/sqlite/sqlite-chunk-store.ts";
import { Connection, isCorrupt } from "#store/sqlite/connection.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import type { StoredPlace } from "./checksum.ts";
import { type EngineSettings, SeriesEngine } from "./engine.ts";
import { renderFailure } from "./read-failure.ts";
import { damagedJournal, forgetDamagedJournal } from "./sqlite/damaged-journal.ts";
import { createHeldPoints } from "./sqlite/held-points.ts";
import { createScrub } from "./sqlite/scrub.ts";
import { BACKGROUND, type WriterAnswer, type WriterOpened, type WriterRequest } from "./writer-messages.ts";

export interface WriterData {
  readonly file: string;
  readonly settings: EngineSettings;
  /**
   * One cell: the oldest hour that is not sealed. It falls before a point of an older hour is acknowledged, and rises
   * only after the sealed points can be read. So a query about older hours only need not involve this thread.
   */
  readonly oldestHour: Int32Array;
  /**
   * One cell: how many points are in memory, for metrics. It is not sent with each message, because counting looks at
   * every hour.
   */
  readonly openPoints: Int32Array;
}

const HOUSEKEEPING_MS = 1_000;
const SAME_TROUBLE_MS = 60_000;
const MAX_BATCHES = 256;
const NO_HOUR = 2 ** 31 - 1;

const port: MessagePort = parentPort ?? fail("writer-worker.ts runs only as a worker");
const { file, settings, oldestHour, openPoints } = workerData as WriterData;
/** Damage found before anybody listens. */
const foundDamaged: StoredPlace[] = [];
let isOpen = false;
const { database, store, held, engine } = open();

function open() {
  try {
    const database = new Connection(file, "write", 4);
    const store = createSqliteChunkStore(database);
    const held = createHeldPoints(database);
    if (settings.forgetDamaged === true) forgetDamagedJournal(database);
    const aside = damagedJournal(database);
    if (aside !== undefined) tellDamaged(aside);
    return { database, store, held, engine: new SeriesEngine(store, settings, tellDamaged) };
  } catch (error) {
    if (isCorrupt(error)) tryPost(port, { unreadable: String(error) } satisfies WriterOpened);
    throw error;
  }
}

function tellDamaged(damaged: StoredPlace): void {
  if (isOpen) say({ id: BACKGROUND, damaged });
  else foundDamaged.push(damaged);
}

port.on("message", (first: WriterRequest) => {
  let request: WriterRequest | undefined = first;
  let appends: Extract<WriterRequest, { kind: "append" }>[] = [];
  while (request !== undefined) {
    if (request.kind === "append") {
      appends.push(request);
      if (appends.length >= MAX_BATCHES) appends = flush(appends);
    } else {
      appends = flush(appends);
      answer(request);
    }
    request = receiveMessageOnPort(port)?.message;
  }
  flush(appends);
});

const scrub = createScrub(database, tellDamaged);
let isWorking = false;
const housekeeping = setInterval(() => {
  if (isWorking) return;
  isWorking = true;
  step();
}, HOUSEKEEPING_MS);

/** Runs one step of sealing or compaction at a time; messages get their turn between two steps. */
function step(): void {
  let worked = false;
  try {
    const now = Date.now();
    worked = engine.sealOne(now, performance.now()) || engine.compactOne(now);
    tellOldest();
    Atomics.store(openPoints, 0, engine.hotPoints);
    if (!worked) scrub.step();
  } catch (error) {
    // Nothing is lost: the points are still in memory and in the journal. The next round tries again.
    tellTrouble(error);
  }
  if (worked) setImmediate(step);
  else isWorking = false;
}

let told: { readonly message: string; readonly until: number } | undefined;

/** The same trouble comes every round, so it is reported once a minute. */
function tellTrouble(error: unknown): void {
  const now = performance.now();
  const message = String(error);
  if (told !== undefined && told.message === message && now < told.until) return;
  told = { message, until: now + SAME_TROUBLE_MS };
  say({ id: BACKGROUND, failure: renderFailure(error) });
}

function flush(appends: readonly Extract<WriterRequest, { kind: "append" }>[]): [] {
  if (appends.length === 0) return [];
  try {
    engine.append(appends.map((append) => append.batch));
    tellOldest();
    for (const { id } of appends) say({ id, result: undefined });
  } catch (error) {
    const failure = renderFailure(error);
    for (const { id } of appends) say({ id, failure });
  }
  return [];
}

function answer(request: Exclude<WriterRequest, { kind: "append" }>): void {
  try {
    const result = run(request);
    tellOldest();
    say({ id: request.id, result });
  } catch (error) {
    say({ id: request.id, failure: renderFailure(error) });
  }
  if (request.kind === "close") port.close();
}

function run(request: Exclude<WriterRequest, { kind: "append" }>): unknown {
  switch (request.kind) {
    case "snapshot":
      return engine.snapshot(request.series, request.from, request.to);
    case "hold":
      return store.commit(() => held.put(request.points));
    case "takeRight":
      if (request.byMs !== 0) store.commit(() => held.shift(request.byMs));
      return held.right();
    case "forgetHeld":
      return store.commit(() => held.remove(request.rows));
    case "load":
      return engine.load(request.load, Date.now());
    case "deleteDevice":
      store.commit(() => held.deleteDevice(request.deviceId));
      return engine.deleteDevice(request.deviceId);
    case "drop":
      return engine.drop(request.series, request.before);
    case "settle":
      while (engine.sealOne(request.now, performance.now()) || engine.compactOne(request.now));
      return undefined;
    case "close":
      clearInterval(housekeeping);
      database.close();
      return undefined;
  }
}

function tellOldest(): void {
  Atomics.store(oldestHour, 0, Math.min(engine.oldestHour(), NO_HOUR));
}

tellOldest();
Atomics.store(openPoints, 0, engine.hotPoints);
sayOpened();
isOpen = true;
keepCompiled();

function say(answer: WriterAnswer): void {
  const error = tryPost(port, answer);
  if (error !== undefined) tryPost(port, { id: answer.id, failure: renderFailure(error) } satisfies WriterAnswer);
}

/** Without the file the store does not open: the error ends this thread, and the start reports it. */
function sayOpened(): void {
  const opened: WriterOpened = {
    definitions: engine.definitions(),
    latest: engine.latest(Date.now()),
    damaged: foundDamaged,
  };
  const error = tryPost(port, opened);
  if (error !== undefined) throw error;
}

function fail(text: string): never {
  throw new Error(text);
}
