// Stores the telemetry that a gateway sends, in its order. The gateway's other messages do not wait for it.

import { AppError } from "#core/app-error.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import { createPointsUnpacker } from "#core/link/unpack-points.ts";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { createSeriesLimit } from "#service/link/series-limit.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import type { TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import { newestValues, type TelemetryFeed } from "#service/telemetry/telemetry-feed.ts";

export interface TakeTelemetryNeeds extends Pick<Needs, "telemetry" | "devices"> {
  readonly catalog: BlueprintCatalog;
  readonly feed: TelemetryFeed;
  readonly telemetryCounter: Pick<TelemetryCounter, "add">;
  /** Of all gateways together: what is not stored yet, and what is remembered of live values. */
  readonly telemetryBudget: ByteBudget;
  readonly liveBudget: ByteBudget;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

type TelemetryMessage = Extract<UpMessage, { type: "points" | "packed" | "history" }>;

export interface TelemetryIntake {
  /** Resolves when the next message may be read: at once, or when this one is stored. */
  take(message: TelemetryMessage): Promise<void>;
  /** The connection has ended. Resolves when everything is stored or has failed. */
  end(): Promise<void>;
}

/** Telemetry that gateways have sent and that is not stored yet. */
export const LINK_HISTORY_BYTES = 64 * 1024 * 1024;
/** On a full disk it is tried again after this time. */
const ROOM_AGAIN_MS = 1_000;
/** Messages of one gateway that are read and not yet stored. As many as it sends without an answer. */
const MAX_WAITING = 8;

/** Names and latest values of the live telemetry of all gateways, by which it is packed. */
export const LINK_LIVE_BYTES = 32 * 1024 * 1024;

/** Below this share of the limit a gateway that connects may pack its points. */
const PACKS_BELOW = 0.75;

/** Whether there is room to remember the live values of one more gateway. */
export const hasRoomToUnpack = ({ used, limit }: ByteBudget): boolean => used() < PACKS_BELOW * limit;

/** A message in memory is larger than its bytes. */
function bytesOf(message: TelemetryMessage): number {
  if (message.type === "history") return message.content.length;
  return message.type === "packed" ? 20 * message.content.length : 200 * message.messages.length;
}

/** Years 0001 to 9999. */
const [EARLIEST, LATEST] = [-62_135_596_800_000, 253_402_300_799_999];
const MOST_VALUES = 65_535;
const LONGEST_NAME = 1_024;

/** The store takes what devices can send. Anything else would harm the points of others, which are stored together with it. */
function storable(points: TelemetryPoints): TelemetryPoints {
  const { at, values } = points;
  if (!Number.isInteger(at) || at < EARLIEST || at > LATEST) throw new LinkMistake(`no point has the time ${at}`);
  if (values.size > MOST_VALUES) throw new LinkMistake(`a device sent more than ${MOST_VALUES} values at once`);
  for (const name of values.keys())
    if (name.length > LONGEST_NAME) throw new LinkMistake("a name of values is too long");
  return points;
}

export function takeTelemetry(
  needs: TakeTelemetryNeeds,
  session: {
    /** The gateway's devices. */
    readonly devices: ReadonlyMap<string, string>;
    send(message: DownMessage): Promise<void>;
    /** Resolves when this gateway may use the main thread. */
    turn(): Promise<void>;
    readonly maxSeries: number;
    /** Values of the device were left out for this reason. Resolves when that is noted. */
    refused(deviceId: string, reason: string): Promise<void>;
    /** The connection cannot go on. */
    fail(error: unknown): void;
  },
): TelemetryIntake {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let hasFailed = false;
  const over = new AbortController();
  const unpacker = createPointsUnpacker();
  const { devices, maxSeries: most } = session;
  const limit = createSeriesLimit(needs.telemetry, { devices, most });
  /** What the budget counts for it. */
  let known = 0;

  async function store(message: TelemetryMessage): Promise<void> {
    // A confirmation would count for the message that failed, too.
    if (hasFailed) return;
    await session.turn();
    const points = message.type === "history" ? [] : pointsOf(message);
    const unknown = await whenThereIsRoom(() =>
      message.type === "history" ? storeHistory(message) : storePoints(points),
    );
    const { type, number } = message;
    const isShort = type === "packed" && unknown.length === 0;
    await session.send(isShort ? { type: "packed_stored", number } : { type: "stored", number, unknown });
  }

  /** On a full disk the gateway keeps its telemetry. Its commands go on meanwhile. */
  async function whenThereIsRoom<Result>(task: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await task();
      } catch (error) {
        const isFull = error instanceof AppError && error.code === "storage_full";
        if (!isFull || over.signal.aborted) throw error;
        await needs.pause(ROOM_AGAIN_MS, over.signal);
      }
    }
  }

  function pointsOf(message: Exclude<TelemetryMessage, { type: "history" }>): readonly TelemetryPoints[] {
    if (message.type === "points")
      return message.messages
        .map(([deviceId, at, values]) => ({ deviceId, at, values: new Map(values) }))
        .map(storable);
    const points = (unpacker.unpack(message.content) as readonly TelemetryPoints[]).map(storable);
    needs.liveBudget.give(known);
    known = unpacker.knownBytes;
    if (needs.liveBudget.take(known)) return points;
    known = 0;
    throw new LinkMistake("the cloud has no room to remember the live values of so many devices");
  }

  async function storePoints(messages: readonly TelemetryPoints[]): Promise<readonly string[]> {
    const unknown = new Set<string>();
    const points = messages.filter(({ deviceId }) => {
      const isKnown = session.devices.has(deviceId);
      if (!isKnown) unknown.add(deviceId);
      return isKnown;
    });
    const kept: TelemetryPoints[] = [];
    for (const one of points) kept.push(await withinLimit(one));
    await needs.telemetry.append(kept);
    const [sent, stored] = [points, kept].map((some) => some.reduce((sum, { values }) => sum + values.size, 0));
    needs.telemetryCounter.add({ kept: stored ?? 0, leftOut: (sent ?? 0) - (stored ?? 0) });
    if (needs.feed.isWatched) for (const one of kept) await publish(one);
    return [...unknown];
  }

  async function withinLimit(points: TelemetryPoints): Promise<TelemetryPoints> {
    const refused = await refusedOf(points.deviceId, [...points.values.keys()]);
    if (refused.size === 0) return points;
    return { ...points, values: new Map([...points.values].filter(([name]) => !refused.has(name))) };
  }

  async function refusedOf(deviceId: string, attributes: readonly string[]): Promise<ReadonlySet<string>> {
    const refused = await limit.refused(deviceId, attributes);
    if (refused.size > 0) await session.refused(deviceId, limit.reason());
    return refused;
  }

  async function publish({ deviceId, at, values }: TelemetryPoints): Promise<void> {
    const device = await needs.devices.find(deviceId);
    if (device === undefined) return;
    const attributes = attributesOf(await deviceBlueprint(needs, device));
    const newest = newestValues({ at, values }, attributes, needs.telemetry.latest(deviceId));
    if (newest.size > 0) needs.feed.publish({ siteId: device.siteId, deviceId, at, values: newest });
  }

  async function storeHistory({
    deviceId,
    content,
  }: Extract<TelemetryMessage, { type: "history" }>): Promise<readonly string[]> {
    if (!session.devices.has(deviceId)) return [deviceId];
    try {
      const kept = await needs.telemetry.loadPacked(deviceId, content, (names) => refusedOf(deviceId, names));
      needs.telemetryCounter.add({ kept, leftOut: 0 });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_body") throw error;
      throw new LinkMistake(`the history of device ${deviceId} cannot be read: ${error.message}`);
    }
    return [];
  }

  return {
    async take(message) {
      const bytes = bytesOf(message);
      const hasRoom = waiting < MAX_WAITING && needs.telemetryBudget.take(bytes);
      waiting++;
      last = last
        .then(() => store(message))
        .catch((error: unknown) => {
          hasFailed = true;
          session.fail(error);
        })
        .finally(() => {
          waiting--;
          if (hasRoom) needs.telemetryBudget.give(bytes);
        });
      // Without room the gateway has to wait, and with it what it sends next.
      if (!hasRoom) await last;
    },
    async end() {
      over.abort();
      await last;
      needs.liveBudget.give(known);
      known = 0;
    },
  };
}
