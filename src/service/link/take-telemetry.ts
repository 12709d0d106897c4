// Stores the telemetry that a gateway tells. It goes on beside the gateway's other messages, in its own order.

import { AppError } from "#core/app-error.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import type { DownMessage, LinkedPoints, UpMessage } from "#core/link/messages.ts";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { Needs } from "#service/ports.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import type { TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import { newestValues, type TelemetryFeed } from "#service/telemetry/telemetry-feed.ts";

export interface TakeTelemetryNeeds extends Pick<Needs, "telemetry" | "devices"> {
  readonly catalog: BlueprintCatalog;
  readonly feed: TelemetryFeed;
  readonly telemetryCounter: Pick<TelemetryCounter, "add">;
  /** Of all gateways together. */
  readonly telemetryBudget: ByteBudget;
}

type TelemetryMessage = Extract<UpMessage, { type: "points" | "history" }>;

export interface TelemetryIntake {
  /** Resolves when the next message may be read: at once, or when this one is stored. */
  take(message: TelemetryMessage): Promise<void>;
  /** Resolves when everything is stored or has failed. */
  idle(): Promise<void>;
}

/** Telemetry that gateways have sent and that is not stored yet. */
export const LINK_HISTORY_BYTES = 64 * 1024 * 1024;
/** Messages of one gateway that are read and not yet stored. */
const MAX_WAITING = 8;

/** A message in memory is larger than its bytes. */
const bytesOf = (message: TelemetryMessage) =>
  message.type === "history" ? message.content.length : 200 * message.messages.length;

export function takeTelemetry(
  needs: TakeTelemetryNeeds,
  session: {
    /** The gateway's devices. */
    readonly devices: ReadonlyMap<string, string>;
    send(message: DownMessage): Promise<void>;
    /** The connection cannot go on. */
    fail(error: unknown): void;
  },
): TelemetryIntake {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let hasFailed = false;

  async function store(message: TelemetryMessage): Promise<void> {
    // A confirmation would count for the message that failed, too.
    if (hasFailed) return;
    const unknown = message.type === "points" ? await storePoints(message.messages) : await storeHistory(message);
    await session.send({ type: "stored", number: message.number, unknown });
  }

  async function storePoints(messages: readonly LinkedPoints[]): Promise<readonly string[]> {
    const unknown = new Set<string>();
    const points = messages.flatMap(([deviceId, at, values]) => {
      if (session.devices.has(deviceId)) return [{ deviceId, at, values: new Map(values) }];
      unknown.add(deviceId);
      return [];
    });
    await needs.telemetry.append(points);
    needs.telemetryCounter.add({ kept: points.reduce((sum, { values }) => sum + values.size, 0), leftOut: 0 });
    if (needs.feed.isWatched) for (const one of points) await publish(one);
    return [...unknown];
  }

  async function publish({ deviceId, at, values }: Parameters<Needs["telemetry"]["append"]>[0][number]): Promise<void> {
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
      const kept = await needs.telemetry.loadPacked(deviceId, content);
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
    idle: () => last,
  };
}
