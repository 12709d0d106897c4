// Which telemetry the cloud may lack. New messages wait in a short queue, so that the cloud has them at once. What the
// queue cannot hold is uploaded later, by whole hours that are read from the store. So nothing is kept twice, and nothing is
// lost when the queue is full or the process ends.
//
// Invariant: the cloud has every stored point of an hour, except for those in the queue or on their way, unless the hour
// is `isWhole` or older than the history that was uploaded. Every hour that is not known to be complete is marked durably.
// The caller stores the mark before it stores a point.
import { HOUR_MS } from "#core/time/hour.ts";
import { createSpooledHours, type Hour, type LinkedHour, type SentHours } from "./spooled-hours.ts";

export interface MarkedHour extends LinkedHour {
  /** Points of it were deleted before the cloud had them, and it was counted. */
  readonly hasExpired?: boolean;
}

interface Queued<Message> {
  readonly message: Message;
  readonly bytes: number;
  readonly points: number;
  readonly hour: Hour;
}

export type SentMessages<Message> = readonly Queued<Message>[];

export interface TelemetrySpool<Message extends { readonly deviceId: string; readonly at: number }> {
  /** A message is about to be stored. Returns its hour if that has to be marked durably first. */
  begin(deviceId: string, at: number): LinkedHour | undefined;
  /** Points that were begun may be stored or not. Their hour is uploaded as a whole. */
  leave(deviceId: string, at: number): void;
  /** Hours that were marked before the process started, or whose points no queue has seen. */
  addWhole(hours: Iterable<MarkedHour>): void;
  /** A message that was begun is stored. */
  add(message: Message, size: { readonly bytes: number; readonly points: number }): void;
  /** The oldest messages of the queue; undefined when it is empty. They are on their way until they are settled. */
  takeMessages(maxBytes: number): SentMessages<Message> | undefined;
  /**
   * The newest hour that has to be uploaded as a whole. Of a day that is over, all such hours of the device come together: the
   * store joins its hours, so that each of them alone would be uploaded as the whole day. They are on their way until they are
   * settled. Hours before `from` are left to the history, which is uploaded day by day and takes them along.
   */
  takeHours(now: number, from?: number): SentHours | undefined;
  /** The hours of the device in [from, to) that have to be uploaded as a whole, because all that is stored there is uploaded now. */
  takeHoursOf(deviceId: string, span: { readonly from: number; readonly to: number }): SentHours;
  /** The cloud has stored the messages, except for devices that it does not know yet. */
  messagesStored(sent: SentMessages<Message>, unknown: ReadonlySet<string>, retryAt: number): void;
  messagesLost(sent: SentMessages<Message>): void;
  hoursStored(sent: SentHours): void;
  /** Uploaded again, not before this time. */
  hoursLost(sent: SentHours, retryAt: number): void;
  /** Takes out the hours of which the cloud has everything and that ended before. Their marks have to be deleted. */
  takeComplete(before: number): readonly LinkedHour[];
  /** Takes out the hours that are to be uploaded as a whole, because they will be uploaded in another way. The same holds. */
  takeWhole(): readonly LinkedHour[];
  takeDevice(deviceId: string): readonly LinkedHour[];
  /** Points of the device before this time were deleted. Returns the hours of which the cloud lacked some, each once. */
  expire(deviceId: string, before: number): readonly LinkedHour[];
  clear(): void;
  /** How many hours are marked. */
  readonly marked: number;
  readonly waiting: {
    readonly messages: number;
    readonly points: number;
    readonly bytes: number;
    readonly hours: number;
  };
  /** Messages that were sent, and that the cloud has neither confirmed nor lost. */
  readonly unconfirmed: { readonly messages: number; readonly points: number; readonly bytes: number };
  /** The time of the oldest message or hour that waits; of an hour, when it begins. */
  oldest(): number | undefined;
}

export function createTelemetrySpool<Message extends { readonly deviceId: string; readonly at: number }>(
  maxBytes: number,
): TelemetrySpool<Message> {
  const spooled = createSpooledHours();
  const { find, create, leaveToWhole, complete, takeOut, take } = spooled;
  let queue: Queued<Message>[] = [];
  /** Messages before this place are gone. */
  let first = 0;
  let bytes = 0;
  let points = 0;
  /** What was sent and is not settled: a few messages, each of many points. */
  let onWay = new Set<SentMessages<Message>>();

  function shift(): Queued<Message> | undefined {
    const oldest = queue[first];
    if (oldest === undefined) return undefined;
    first++;
    bytes -= oldest.bytes;
    points -= oldest.points;
    if (first > 1_000 && first * 2 > queue.length) {
      queue = queue.slice(first);
      first = 0;
    }
    return oldest;
  }

  /** The oldest messages make room: their hours are uploaded as a whole. */
  function shrink(): void {
    while (bytes > maxBytes) {
      const oldest = shift();
      if (oldest === undefined) return;
      oldest.hour.pending--;
      // Unless its device was deleted meanwhile.
      if (find(oldest.hour.deviceId, oldest.hour.hour) === oldest.hour) leaveToWhole(oldest.hour);
    }
  }

  return {
    begin(deviceId, at) {
      const number = Math.floor(at / HOUR_MS);
      const known = find(deviceId, number);
      const hour = known ?? create(deviceId, number);
      hour.pending++;
      return known === undefined ? hour : undefined;
    },
    leave(deviceId, at) {
      const hour = find(deviceId, Math.floor(at / HOUR_MS));
      if (hour === undefined) return;
      hour.pending--;
      leaveToWhole(hour);
    },
    addWhole(hours) {
      for (const { deviceId, hour, hasExpired } of hours) {
        const found = find(deviceId, hour) ?? create(deviceId, hour);
        found.hasExpired ||= hasExpired === true;
        leaveToWhole(found);
      }
    },
    add(message, size) {
      const hour = find(message.deviceId, Math.floor(message.at / HOUR_MS));
      // Its device was deleted meanwhile.
      if (hour === undefined) return;
      queue.push({ message, ...size, hour });
      bytes += size.bytes;
      points += size.points;
      shrink();
    },
    takeMessages(limit) {
      const taken: Queued<Message>[] = [];
      for (let size = 0; size < limit; ) {
        const next = shift();
        if (next === undefined) break;
        taken.push(next);
        size += next.bytes;
      }
      if (taken.length > 0) onWay.add(taken);
      return taken.length === 0 ? undefined : taken;
    },
    takeHours(now, from = Number.NEGATIVE_INFINITY) {
      const isFree = ({ hour, isWhole, isBusy, waitsUntil }: Hour) =>
        isWhole && !isBusy && waitsUntil <= now && hour * HOUR_MS >= from;
      const newest = spooled.newestWhole(isFree);
      if (newest === undefined) return undefined;
      return take(newest.deviceId, [newest, ...spooled.othersOfDay(newest, now).filter(isFree)]);
    },
    takeHoursOf(deviceId, { from, to }) {
      const isIn = ({ hour, isWhole, isBusy }: Hour) =>
        isWhole && !isBusy && hour * HOUR_MS >= from && (hour + 1) * HOUR_MS <= to;
      const found = spooled
        .hoursOf(deviceId)
        .filter(isIn)
        .sort((a, b) => b.hour - a.hour);
      return take(deviceId, found);
    },
    messagesStored(sent, unknown, retryAt) {
      onWay.delete(sent);
      for (const { hour } of sent) {
        hour.pending--;
        if (unknown.has(hour.deviceId) && find(hour.deviceId, hour.hour) === hour) leaveToWhole(hour, retryAt);
      }
    },
    messagesLost(sent) {
      onWay.delete(sent);
      queue = [...sent, ...queue.slice(first)];
      first = 0;
      for (const one of sent) {
        bytes += one.bytes;
        points += one.points;
      }
      shrink();
    },
    hoursStored({ deviceId, hours }) {
      for (const { hour: number, version } of hours) {
        const hour = find(deviceId, number);
        if (hour === undefined) continue;
        hour.isBusy = false;
        if (hour.version === version) complete(hour);
      }
    },
    hoursLost({ deviceId, hours }, retryAt) {
      for (const { hour: number } of hours) {
        const hour = find(deviceId, number);
        if (hour === undefined) continue;
        hour.isBusy = false;
        hour.waitsUntil = Math.max(hour.waitsUntil, retryAt);
      }
    },
    takeComplete: (before) =>
      takeOut((hour) => !hour.isWhole && hour.pending === 0 && (hour.hour + 1) * HOUR_MS <= before),
    takeWhole: () => takeOut((hour) => hour.isWhole && hour.pending === 0),
    takeDevice: (deviceId) => takeOut((hour) => hour.deviceId === deviceId),
    expire(deviceId, before) {
      const expired: LinkedHour[] = [];
      for (const hour of spooled.hoursOf(deviceId)) {
        if (!hour.isWhole || hour.hasExpired || (hour.hour + 1) * HOUR_MS > before) continue;
        hour.hasExpired = true;
        expired.push({ deviceId, hour: hour.hour });
      }
      return expired;
    },
    clear() {
      spooled.clear();
      [queue, first, bytes, points] = [[], 0, 0, 0];
      onWay = new Set();
    },
    oldest() {
      let oldest = queue[first]?.message.at ?? Number.POSITIVE_INFINITY;
      for (const [sent] of onWay) oldest = Math.min(oldest, sent?.message.at ?? oldest);
      for (const hour of spooled.wholeNumbers()) oldest = Math.min(oldest, hour * HOUR_MS);
      return Number.isFinite(oldest) ? oldest : undefined;
    },
    get marked() {
      return spooled.count().marked;
    },
    get unconfirmed() {
      let [messages, sentPoints, sentBytes] = [0, 0, 0];
      for (const sent of onWay) {
        messages += sent.length;
        for (const one of sent) {
          sentPoints += one.points;
          sentBytes += one.bytes;
        }
      }
      return { messages, points: sentPoints, bytes: sentBytes };
    },
    get waiting() {
      return { messages: queue.length - first, points, bytes, hours: spooled.count().whole };
    },
  };
}
