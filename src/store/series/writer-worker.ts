// The one thread that writes telemetry. Everything that has arrived meanwhile shares one commit. Sealing and compaction
// run in small steps in between, so that an acknowledgement never waits for more than one step.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import type { StoredPlace } from "./checksum.ts";
import type { EngineSettings } from "./engine.ts";
import { lastOf } from "./latest-values.ts";
import { type ChunkAddress, type ChunkModule, loadChunkModule } from "./load-chunk-module.ts";
import { decodePacked, packSegment, parsePacked } from "./packed-points.ts";
import { renderFailure } from "./read-failure.ts";
import { openOwnWriter, openSharedWriter, type SeriesWriter, type SharedQuestion } from "./series-writer.ts";
import { BACKGROUND, type WriterAnswer, type WriterOpened, type WriterRequest } from "./writer-messages.ts";

export interface WriterData {
  readonly chunks: ChunkAddress;
  readonly settings: EngineSettings;
  /** Deletes the parts of the journal that were damaged before this start, and no longer reports them. */
  readonly forgetDamaged: boolean;
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
  /** One cell: counts what is written to the chunks of a store of this process. It rises before `oldestHour` does. */
  readonly changes: Int32Array;
}

type Append = Extract<WriterRequest, { kind: "append" }>;
/** Answered at once, also while a commit waits for a server. */
type Question = Extract<WriterRequest, { kind: "snapshot" }> | SharedQuestion;
type Other = Exclude<WriterRequest, Append | Question>;

const HOUSEKEEPING_MS = 1_000;
const SAME_TROUBLE_MS = 60_000;
const MAX_BATCHES = 256;
const NO_HOUR = 2 ** 31 - 1;

const port: MessagePort = parentPort ?? fail("writer-worker.ts runs only as a worker");
const { chunks: address, settings, forgetDamaged, oldestHour, openPoints, changes } = workerData as WriterData;
/** Damage found before anybody listens. */
const foundDamaged: StoredPlace[] = [];
let isOpen = false;
const { writer, setAside } = await open(await loadChunkModule(address));
const { isShared } = writer.opened;

async function open(chunks: ChunkModule): Promise<{ writer: SeriesWriter; setAside: string | undefined }> {
  const { place, mustBeDurable } = address;
  const options = { place, mustBeDurable, settings, forgetDamaged, onDamaged: reportDamaged, changes };
  if ("openShared" in chunks) return { writer: await openSharedWriter(chunks, options), setAside: undefined };
  try {
    return { writer: await openOwnWriter(chunks, options), setAside: undefined };
  } catch (error) {
    const aside = chunks.setAside(address.place, error);
    if (aside === undefined) throw error;
    return { writer: await openOwnWriter(chunks, options), setAside: aside };
  }
}

function reportDamaged(damaged: StoredPlace): void {
  if (isOpen) say({ id: BACKGROUND, damaged });
  else foundDamaged.push(damaged);
}

const waiting: (Append | Other)[] = [];
/** Whether a step of background work is to be done. */
let isStepDue = false;
let isBusy = false;

port.on("message", (request: WriterRequest) => {
  receive(request);
  void work();
});

const housekeeping = setInterval(() => {
  isStepDue = true;
  void work();
}, HOUSEKEEPING_MS);

function receive(request: WriterRequest): void {
  if (isQuestion(request)) void answer(request);
  // A shared store takes points beside its other work. The intake sends one batch after the other.
  else if (isShared && request.kind === "append") void append([request]);
  else waiting.push(request);
}

function isQuestion(request: WriterRequest): request is Question {
  const { kind } = request;
  return kind === "snapshot" || kind === "define" || kind === "seriesOf" || kind === "latest";
}

async function answer(request: Question): Promise<void> {
  try {
    const result = request.kind === "snapshot" ? writer.snapshot(request) : writer.ask(request);
    // A store in this process has answered: the answer leaves in this turn.
    say({ id: request.id, result: result instanceof Promise ? await result : result });
  } catch (error) {
    say({ id: request.id, failure: renderFailure(error) });
  }
}

/** Does one thing after the other: requests in their order, and a step of background work when no request waits. */
async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  for (;;) {
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
      receive(more.message);
    }
    const [next] = waiting;
    if (next === undefined) {
      if (!isStepDue) break;
      isStepDue = await step();
    } else if (next.kind === "append") {
      if (writer.isScattered()) isStepDue = await step();
      await append(takeAppends());
    } else {
      waiting.shift();
      await handle(next);
    }
  }
  isBusy = false;
}

/** The first requests that wait, as far as they can share a commit. */
function takeAppends(): readonly Append[] {
  const end = waiting.findIndex(({ kind }) => kind !== "append");
  return waiting.splice(0, Math.min(end < 0 ? waiting.length : end, MAX_BATCHES)) as Append[];
}

async function append(appends: readonly Append[]): Promise<void> {
  try {
    await writer.append(appends.map(({ batch }) => batch));
    reportOldest();
    for (const { id } of appends) say({ id, result: undefined });
  } catch (error) {
    const failure = renderFailure(error);
    for (const { id } of appends) say({ id, failure });
  }
}

async function handle(request: Other): Promise<void> {
  try {
    const result = await run(request);
    reportOldest();
    say({ id: request.id, result });
  } catch (error) {
    say({ id: request.id, failure: renderFailure(error) });
  }
  if (request.kind === "close") port.close();
}

async function run(request: Other): Promise<unknown> {
  switch (request.kind) {
    case "hold":
      return await writer.held.put(request.points);
    case "releasable":
      if (request.byMs !== 0) await writer.held.shift(request.byMs);
      return await writer.held.releasable();
    case "forgetHeld":
      return await writer.held.remove(request.rows);
    case "load":
      return await writer.load(request);
    case "pack": {
      const names = new Map(request.series.map((one) => [one.series, one]));
      const stored = await writer.stretches(request.device, request.from, request.to);
      return stored.flatMap((one) => packSegment(one, names));
    }
    case "loadPacked": {
      const { series, ...load } = request.load;
      const filled = decodePacked(parsePacked(request.piece)).flatMap((column, i) => {
        const number = series[i];
        return number === undefined || column.count === 0 ? [] : [[number, column] as const];
      });
      await writer.load({ load: { ...load, columns: filled } });
      return filled.flatMap(([one, column]) => lastOf(one, column));
    }
    case "newestBefore":
      return await writer.newestBefore(request.device, request.before);
    case "deleteDevice":
      await writer.held.deleteDevice(request.deviceId);
      return await writer.deleteDevice(request.deviceId);
    case "drop":
      return await writer.drop(request);
    case "countChunks":
      return await writer.countChunks();
    case "space":
      return await writer.space();
    case "settle":
      return await writer.settle(request.now);
    case "close":
      clearInterval(housekeeping);
      isStepDue = false;
      return await writer.close();
  }
}

/** One step of sealing or compaction; false when there was nothing to do. */
async function step(): Promise<boolean> {
  try {
    const worked = await writer.step(Date.now(), performance.now());
    reportOldest();
    Atomics.store(openPoints, 0, writer.hotPoints());
    if (!worked) await writer.scrub();
    return worked;
  } catch (error) {
    // Nothing is lost: the points are still in memory and in the journal. The next round tries again.
    reportTrouble(error);
    return false;
  }
}

let reported: { readonly message: string; readonly until: number } | undefined;

/** The same trouble comes every round, so it is reported once a minute. */
function reportTrouble(error: unknown): void {
  const now = performance.now();
  const message = String(error);
  if (reported !== undefined && reported.message === message && now < reported.until) return;
  reported = { message, until: now + SAME_TROUBLE_MS };
  say({ id: BACKGROUND, failure: renderFailure(error) });
}

function reportOldest(): void {
  Atomics.store(oldestHour, 0, Math.max(-NO_HOUR, Math.min(writer.oldestHour(), NO_HOUR)));
}

reportOldest();
Atomics.store(openPoints, 0, writer.hotPoints());
sayOpened();
isOpen = true;
keepCompiled();

function say(answer: WriterAnswer): void {
  const error = tryPost(port, answer);
  if (error !== undefined) tryPost(port, { id: answer.id, failure: renderFailure(error) } satisfies WriterAnswer);
}

/** Without an open store the error ends this thread, and the start reports it. */
function sayOpened(): void {
  const opened: WriterOpened = {
    ...writer.opened,
    damaged: foundDamaged,
    setAside,
  };
  const error = tryPost(port, opened);
  if (error !== undefined) throw error;
}

function fail(text: string): never {
  throw new Error(text);
}
