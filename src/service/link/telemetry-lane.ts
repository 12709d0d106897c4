// The gateway's telemetry on its way to the cloud: new messages at once, what was missed by whole hours, newest first, and
// after joining all stored history, newest first. What is uploaded is read from the store; only a short queue is in memory.

import { itemAt } from "#core/item-at.ts";
import { type DroppedHistory, NOTHING_DROPPED } from "#core/link/gateway-figures.ts";
import type { LinkedHour } from "#core/link/spooled-hours.ts";
import { createTelemetrySpool, type TelemetrySpool } from "#core/link/telemetry-spool.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { TelemetryPoints, TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";

const QUEUE_BYTES = 4 * 1024 * 1024;
/** Beyond so many marked hours all history is uploaded again, newest first, instead. */
const MAX_MARKED = 100_000;
/** Points of an hour that ended less than this ago may still come. */
const OPEN_MS = HOUR_MS;

export interface LaneNeeds extends Pick<Needs, "uplinks" | "telemetry" | "now"> {
  readonly budgets: Pick<ByteBudgets, "watch">;
}

/** All stored telemetry before this time has yet to be uploaded. */
export interface History {
  readonly before: Instant;
  /** Rises when all history is uploaded again. */
  readonly round: number;
}

export interface TelemetryLane {
  /** The same store. What it takes is also uploaded to the cloud, while there is one. */
  readonly telemetry: TelemetryStore;
  readonly spool: TelemetrySpool<TelemetryPoints>;
  /** Reads from the records what the cloud lacks. For the start, before any device can send, and after joining or leaving. */
  restart(): Promise<void>;
  /** The cloud does not have the history: all of it is uploaded. */
  uploadAgain(): Promise<void>;
  /** Undefined: all of it is uploaded. */
  history(): History | undefined;
  /** Only what is before this time is left; undefined: nothing. */
  historyUploaded(round: number, before: Instant | undefined): Promise<void>;
  /** These hours are uploaded as a whole, because the cloud did not take them. */
  leave(hours: readonly LinkedHour[]): Promise<void>;
  /** Stored telemetry cannot be read, so the cloud does not get it. */
  noteUnreadable(): Promise<void>;
  /** What the cloud never gets, since joining. */
  readonly dropped: DroppedHistory;
  /** Deletes the marks of hours of which the cloud has everything. */
  tidy(): Promise<void>;
  /** The listener is called when there is something to upload. */
  listen(listener: () => void): () => void;
}

/** All telemetry that is stored now is before this time. */
export const endOfHistory = (now: number): Instant => instant((Math.floor(now / DAY_MS) + 3) * DAY_MS);

export function createTelemetryLane(needs: LaneNeeds): TelemetryLane {
  const { telemetry: store, uplinks } = needs;
  const spool = createTelemetrySpool<TelemetryPoints>(QUEUE_BYTES);
  needs.budgets.watch({ name: "link_points", limit: QUEUE_BYTES, used: () => spool.waiting.bytes });
  let isJoined = false;
  let historyBefore: Instant | undefined;
  let round = 0;
  let dropped = NOTHING_DROPPED;
  const listeners = new Set<() => void>();
  /** Hours whose marks leave with the next write. */
  let unmarked: LinkedHour[] = [];
  let isWriteDue = false;
  /** Resolves when all marks so far are stored. */
  let marking: Promise<unknown> | undefined;

  /** All marks of one turn share a write. */
  function storeMarks(): void {
    if (isWriteDue) return;
    isWriteDue = true;
    const writing = Promise.resolve().then(async () => {
      const hours = unmarked;
      unmarked = [];
      isWriteDue = false;
      try {
        await uplinks.markHours(hours);
      } catch (error) {
        // The next points try again.
        unmarked.push(...hours);
        throw error;
      }
    });
    const all = Promise.all([marking, writing]);
    marking = all;
    const done = () => {
      if (marking === all) marking = undefined;
    };
    all.then(done, done);
  }

  function begin(deviceId: string, at: number): void {
    const hour = spool.begin(deviceId, at);
    if (hour !== undefined) unmarked.push(hour);
    if (unmarked.length > 0) storeMarks();
  }

  /** Points are stored once their hours are marked: a crash between the two must not leave points that are never uploaded. */
  function afterMarks(store: () => Promise<void>): Promise<void> {
    return marking === undefined ? store() : marking.then(store);
  }

  function append(messages: readonly TelemetryPoints[]): Promise<void> {
    if (!isJoined) return store.append(messages);
    for (const { deviceId, at } of messages) begin(deviceId, at);
    return afterMarks(() => store.append(messages)).then(
      () => {
        for (const message of messages) spool.add(message, { bytes: bytesOf(message), points: message.values.size });
        for (const listener of listeners) listener();
        // Also while the line is cut, for however long.
        return limitMarks();
      },
      (error: unknown) => {
        for (const { deviceId, at } of messages) spool.leave(deviceId, at);
        throw error;
      },
    );
  }

  async function loadWhole(deviceId: string, hours: ReadonlySet<number>, load: () => Promise<void>): Promise<void> {
    for (const hour of hours) begin(deviceId, hour * HOUR_MS);
    try {
      await afterMarks(load);
    } finally {
      for (const hour of hours) spool.leave(deviceId, hour * HOUR_MS);
      await limitMarks();
    }
  }

  async function noteDropped(more: Partial<DroppedHistory>, hours: readonly LinkedHour[]): Promise<void> {
    const { expired = 0, unreadable = 0 } = more;
    if (expired + unreadable === 0) return;
    dropped = { expired: dropped.expired + expired, unreadable: dropped.unreadable + unreadable };
    await uplinks.noteDropped(dropped, hours);
  }

  /** Counts at once: what belongs to a new round never counts as uploaded at the end of the former one. */
  async function setHistory(before: Instant | undefined): Promise<void> {
    historyBefore = before;
    await uplinks.noteHistory(before);
  }

  async function uploadAgain(): Promise<void> {
    round++;
    await setHistory(endOfHistory(needs.now()));
  }

  async function limitMarks(): Promise<void> {
    if (spool.marked <= MAX_MARKED || spool.waiting.hours === 0) return;
    await uploadAgain();
    await uplinks.unmarkHours(spool.takeWhole());
  }

  return {
    spool,
    telemetry: {
      ...store,
      append,
      load(deviceId, columns) {
        if (!isJoined) return store.load(deviceId, columns);
        const hours = new Set<number>();
        for (const { times, count } of columns)
          for (let i = 0; i < count; i++) hours.add(Math.floor(itemAt(times, i) / HOUR_MS));
        return loadWhole(deviceId, hours, () => store.load(deviceId, columns));
      },
      async release(byMs) {
        const devices = await store.release(byMs);
        // Which times they have is not known.
        if (isJoined && devices.size > 0) await uploadAgain();
        return devices;
      },
      async drop(deviceId, attributes, before) {
        const pieces = await store.drop(deviceId, attributes, before);
        if (isJoined && pieces > 0) {
          // Of the history that is uploaded newest first, everything so old is left.
          const isLeft = historyBefore !== undefined && before <= historyBefore;
          const hours = spool.expire(deviceId, before);
          await noteDropped({ expired: isLeft ? pieces : hours.length }, hours);
        }
        return pieces;
      },
      async deleteDevice(deviceId) {
        await store.deleteDevice(deviceId);
        if (isJoined) await uplinks.unmarkHours(spool.takeDevice(deviceId));
      },
    },
    async restart() {
      const uplink = await uplinks.get();
      spool.clear();
      dropped = uplink?.dropped ?? NOTHING_DROPPED;
      round++;
      historyBefore = uplink?.historyBefore;
      isJoined = uplink !== undefined;
      if (isJoined) spool.addWhole(await uplinks.hours());
    },
    uploadAgain,
    history: () => (historyBefore === undefined ? undefined : { before: historyBefore, round }),
    async historyUploaded(uploadedRound, before) {
      if (uploadedRound === round) await setHistory(before);
    },
    async leave(hours) {
      await uplinks.markHours(hours);
      spool.addWhole(hours);
    },
    noteUnreadable: () => noteDropped({ unreadable: 1 }, []),
    get dropped() {
      return dropped;
    },
    async tidy() {
      await limitMarks();
      const complete = spool.takeComplete(needs.now() - OPEN_MS);
      if (complete.length > 0) await uplinks.unmarkHours(complete);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** About what a message takes in memory and on the line. */
function bytesOf({ values }: TelemetryPoints): number {
  let bytes = 100 + 50 * values.size;
  for (const value of values.values()) if (typeof value === "string") bytes += value.length;
  return bytes;
}
