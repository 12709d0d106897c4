// Sends telemetry over one connection: new messages first, then missed hours, then stored history. Missed hours that the
// history has yet to reach are sent with it: otherwise they would be sent twice. The cloud confirms what it has stored;
// what is not confirmed when the connection ends is sent again.

import { AppError } from "#core/app-error.ts";
import { MAX_PLAIN_VALUES } from "#core/link/link-limits.ts";
import type { LinkedPoints, UpMessage } from "#core/link/messages.ts";
import { createPointsPacker } from "#core/link/pack-points.ts";
import type { SentHours } from "#core/link/spooled-hours.ts";
import type { SentMessages } from "#core/link/telemetry-spool.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { allAtOnce } from "#service/all-pages.ts";
import { createWake } from "#service/link/create-wake.ts";
import type { History, TelemetryLane } from "#service/link/telemetry-lane.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";

export interface UploadTelemetryNeeds extends Pick<Needs, "telemetry" | "devices" | "now"> {
  readonly telemetryLane: TelemetryLane;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: { warn(about: object, text: string): void };
}

type TelemetryMessage = Extract<UpMessage, { type: "points" | "packed" | "history" }>;
type Unnumbered = TelemetryMessage extends infer Each ? (Each extends unknown ? Omit<Each, "number"> : never) : never;

export interface TelemetryUpload {
  /** Until the connection ends. `packs`: the cloud takes packed points. */
  run(packs: boolean): Promise<void>;
  /** The cloud has stored everything up to this number, except for devices that it does not know. */
  stored(number: number, unknown: readonly string[]): void;
  /** The connection has ended. */
  end(): void;
}

const MESSAGES_BYTES = 128 * 1024;
/** Messages that the cloud has not confirmed. */
const MAX_UNCONFIRMED = 8;
/** Points that come within this time share a message. */
const GATHER_MS = 100;
const LOOK_AGAIN_MS = 1_000;
const TIDY_MS = 60_000;
/** A device that the cloud does not know yet is uploaded again after this time. */
const UNKNOWN_MS = 2_000;

/** `stored` is undefined when the connection ended before. */
type Settle = (stored: { readonly unknown: ReadonlySet<string> } | undefined) => void;

export function uploadTelemetry(
  needs: UploadTelemetryNeeds,
  { send, signal }: { send(message: UpMessage): Promise<void>; readonly signal: AbortSignal },
): TelemetryUpload {
  const { telemetryLane: lane, telemetry } = needs;
  const { spool } = lane;
  const unconfirmed: { readonly number: number; readonly settle: Settle }[] = [];
  const awake = createWake();
  const packer = createPointsPacker();
  let last = 0;
  let day: DayUpload | undefined;

  async function upload(message: Unnumbered, settle: Settle): Promise<void> {
    while (unconfirmed.length >= MAX_UNCONFIRMED && !signal.aborted) await awake.next();
    if (signal.aborted) return settle(undefined);
    const number = ++last;
    unconfirmed.push({ number, settle });
    await send({ ...message, number });
  }

  async function uploadMessages(packs: boolean): Promise<boolean> {
    const sent = spool.takeMessages(MESSAGES_BYTES);
    if (sent === undefined) return false;
    const messages = packs ? [packed(sent)] : plain(sent);
    let left = messages.length;
    const unknown = new Set<string>();
    let isLost = false;
    for (const message of messages) {
      await upload(message, (stored) => {
        isLost ||= stored === undefined;
        for (const deviceId of stored?.unknown ?? []) unknown.add(deviceId);
        if (--left > 0) return;
        if (isLost) spool.messagesLost(sent);
        else spool.messagesStored(sent, unknown, needs.now() + UNKNOWN_MS);
      });
    }
    return true;
  }

  /** Once packed, it has to be sent: what follows refers to it. */
  function packed(sent: SentPoints): Unnumbered {
    return { type: "packed", content: packer.pack(sent.map(({ message }) => message)) };
  }

  async function uploadHours(): Promise<boolean> {
    const sent = spool.takeHours(needs.now(), lane.history()?.before);
    if (sent === undefined) return false;
    const numbers = sent.hours.map(({ hour }) => hour);
    const span = { from: Math.min(...numbers) * HOUR_MS, to: (Math.max(...numbers) + 1) * HOUR_MS };
    await uploadTaken(sent, span);
    return true;
  }

  /** Sends what is stored of the device in the span, which has these hours. They are taken before anything is read. */
  async function uploadTaken(sent: SentHours, span: Span, settled?: (isStored: boolean) => void): Promise<void> {
    try {
      await uploadStored(sent.deviceId, span, (isStored) => {
        if (isStored) spool.hoursStored(sent);
        else spool.hoursLost(sent, needs.now() + UNKNOWN_MS);
        settled?.(isStored);
      });
    } catch (error) {
      // They are not settled when only some of their pieces were sent.
      spool.hoursLost(sent, needs.now());
      throw error;
    }
  }

  /** Sends what is stored of the device. `settle` is called once, when all of it is confirmed or some of it is not. */
  async function uploadStored(
    deviceId: string,
    { from, to }: Span,
    settle: (isStored: boolean) => void,
  ): Promise<void> {
    const pieces = await read(deviceId, from, to);
    let [left, isStored] = [pieces.length, true];
    if (left === 0) return settle(true);
    for (const content of pieces) {
      await upload({ type: "history", deviceId, content }, (stored) => {
        if (stored === undefined || stored.unknown.has(deviceId)) isStored = false;
        if (--left === 0) settle(isStored);
      });
    }
  }

  async function read(deviceId: string, from: number, to: number): Promise<readonly Uint8Array[]> {
    try {
      return await telemetry.pack(deviceId, instant(from), instant(to));
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "storage_unavailable") throw error;
      await lane.noteUnreadable();
      needs.log.warn({ deviceId, from, err: error }, "stored telemetry cannot be read, so the cloud does not get it");
      return [];
    }
  }

  /** The next device of the newest day that is left. False when there is nothing to do at the moment. */
  async function uploadHistory(): Promise<boolean> {
    const left = lane.history();
    if (left === undefined) return false;
    if (day?.round !== left.round || day.to !== left.before) day = await newestDay(left);
    if (day === undefined) {
      await lane.historyUploaded(left.round, undefined);
      return true;
    }
    const current = day;
    const deviceId = current.devices.pop();
    if (deviceId !== undefined) {
      current.open++;
      await uploadTaken(spool.takeHoursOf(deviceId, current), current, (isStored) => {
        current.open--;
        if (!isStored) current.lost.push(deviceId);
      });
      return true;
    }
    if (current.open > 0 || signal.aborted) return false;
    if (current.lost.length > 0) await lane.leave(current.lost.flatMap((id) => hoursOf(id, current)));
    await lane.historyUploaded(current.round, current.from);
    return true;
  }

  async function newestDay({ before, round }: History): Promise<DayUpload | undefined> {
    const newest = new Map<string, number>();
    for (const { id } of await allAtOnce((page) => needs.devices.list({ scope: "all" }, page))) {
      const at = await telemetry.newestBefore(id, before);
      if (at !== undefined) newest.set(id, at);
    }
    if (newest.size === 0) return undefined;
    const latest = [...newest.values()].reduce((a, b) => Math.max(a, b));
    const from = instant(Math.floor(latest / DAY_MS) * DAY_MS);
    const devices = [...newest].filter(([, at]) => at >= from).map(([id]) => id);
    return { from, to: before, round, devices, open: 0, lost: [] };
  }

  return {
    async run(packs) {
      const unlisten = lane.listen(awake.call);
      let tidyAt = 0;
      try {
        while (!signal.aborted) {
          if ((await uploadMessages(packs)) || (await uploadHours()) || (await uploadHistory())) continue;
          if (needs.now() >= tidyAt) {
            tidyAt = needs.now() + TIDY_MS;
            await lane.tidy();
          }
          await awake.next((over) => needs.pause(LOOK_AGAIN_MS, over));
          if (spool.waiting.messages > 0) await needs.pause(GATHER_MS, signal);
        }
      } finally {
        unlisten();
      }
    },
    stored(number, unknown) {
      const devices = new Set(unknown);
      while (unconfirmed[0] !== undefined && unconfirmed[0].number <= number) {
        unconfirmed.shift()?.settle({ unknown: devices });
      }
      awake.call();
    },
    end() {
      // The newest first, so that the queue keeps its order.
      for (const { settle } of unconfirmed.splice(0).reverse()) settle(undefined);
      awake.call();
    },
  };
}

type SentPoints = SentMessages<TelemetryPoints>;

/** As a cloud takes it that does not unpack, in messages that it takes. */
function plain(sent: SentPoints): readonly Unnumbered[] {
  const all: LinkedPoints[][] = [[]];
  let room = MAX_PLAIN_VALUES;
  for (const { message } of sent) {
    const { deviceId, at } = message;
    const values = [...message.values];
    for (let from = 0; from < values.length; from += MAX_PLAIN_VALUES) {
      const piece = values.slice(from, from + MAX_PLAIN_VALUES);
      if (room < piece.length) {
        all.push([]);
        room = MAX_PLAIN_VALUES;
      }
      room -= piece.length;
      all.at(-1)?.push([deviceId, at, piece]);
    }
  }
  return all.map((messages) => ({ type: "points", messages }));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Stored history in [from, to). */
interface DayUpload {
  readonly from: Instant;
  readonly to: Instant;
  readonly round: number;
  /** Those that are left. */
  readonly devices: string[];
  /** Devices whose history is on its way. */
  open: number;
  /** Those that the cloud did not take. */
  readonly lost: string[];
}

/** The hours of its day: after it nothing is stored before `to`. */
function hoursOf(deviceId: string, { from }: DayUpload) {
  const first = Math.floor(from / HOUR_MS);
  return Array.from({ length: DAY_MS / HOUR_MS }, (_, i) => ({ deviceId, hour: first + i }));
}
