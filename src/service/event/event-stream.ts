// What happens, for one listener. It reads from the hub as fast as the client does, so a slow client costs no
// memory. A client that falls behind what the hub keeps gets a notice and is disconnected; when it resumes, it gets what it
// missed from the outbox. Telemetry comes from the board whenever there is room.

import { Readable } from "node:stream";
import { levelAt } from "#core/access/caller.ts";
import { LIVE_KINDS } from "#core/event/event.ts";
import { type EventFilter, selects, selectsKind, selectsPlace } from "#core/event/event-filter.ts";
import type { Sessions } from "#service/access/sessions.ts";
import type { Continuation } from "#service/event/event-backlog.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { EventPlace } from "#service/event/event-id.ts";
import { renderGap } from "#service/event/event-wire.ts";
import type { StreamFormat } from "#service/event/stream-format.ts";
import type { TelemetryBoard } from "#service/event/telemetry-board.ts";
import type { WakeQueue } from "#service/event/wake-queue.ts";
import type { Call } from "#service/ports.ts";

const HEARTBEAT_MS = 15_000;
/** Messages that wait in a stream of messages. */
const MAX_MESSAGES = 4;

interface StreamNeeds {
  readonly events: Pick<EventHub, "at" | "remembers" | "sequenceAt" | "lastSequence">;
  /** What it missed after the position; of an unknown position, the current state. */
  readonly backlog: (filter: EventFilter, from: number | undefined) => AsyncGenerator<Buffer, Continuation>;
  readonly board: TelemetryBoard;
  readonly wakes: WakeQueue;
  readonly openSessions: Pick<Sessions, "onEnd" | "isLive">;
}

export interface Listening extends Pick<Call, "caller" | "remoteAddress"> {
  /** Ends the stream: the client has gone or the service stops. */
  readonly signal: () => AbortSignal;
}

interface ResumePlace extends EventPlace {
  /** A new listener begins there. It has missed nothing that it was promised. */
  readonly isBeginning?: boolean;
}

export interface Wanted {
  readonly filter: EventFilter;
  /** Resume after this event. Undefined starts now. Only server-sent events are resumed. */
  readonly after: ResumePlace | "unknown" | undefined;
  readonly format: StreamFormat;
  readonly heartbeatMs?: number;
}

export interface EventStream {
  readonly readable: Readable;
  /** Something happened. */
  readonly wake: () => void;
}

export function openEventStream(needs: StreamNeeds, call: Listening, wanted: Wanted): EventStream {
  const { events, wakes } = needs;
  const { caller } = call;
  const { filter, after, format } = wanted;
  const kept = after === undefined ? events.lastSequence : keptAfter(events, after);
  /** Number of the last event that was checked. */
  let cursor = kept ?? events.lastSequence;
  /** Stored events up to this position were sent from the backlog. */
  let sent = 0;
  let backlog = kept === undefined ? needs.backlog(filter, positionOf(after)) : undefined;
  let isReading = false;
  let isHungry = false;
  let hasEnded = false;
  const readable = new Readable({
    read: pump,
    ...(format.isOfMessages && { objectMode: true, highWaterMark: MAX_MESSAGES }),
  });
  const sleeper = { key: caller.tokenId, wake: () => (isHungry ? pump() : dropIfSlow()) };
  const wake = () => wakes.wake(sleeper);

  function pump(): void {
    isHungry = true;
    if (hasEnded || readable.destroyed) return;
    if (backlog !== undefined) return void readOn(backlog);
    if (dropIfSlow()) return;
    for (let event = events.at(cursor + 1); event !== undefined; event = events.at(cursor + 1)) {
      cursor = event.sequence;
      const isSent = event.isStored && event.position <= sent;
      const text = !isSent && selects(filter, event) ? format.event(event, levelAt(filter, event.siteId)) : undefined;
      if (text === undefined) continue;
      isHungry = readable.push(text);
      if (!isHungry) return;
    }
    for (let news = telemetry?.take(); news !== undefined; news = telemetry?.take()) {
      isHungry = readable.push(format.telemetry(news));
      if (!isHungry) return;
    }
  }
  async function readOn(missed: AsyncGenerator<Buffer, Continuation>): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (isHungry) {
        const step = await missed.next();
        if (hasEnded || readable.destroyed) return;
        if (step.done === true) {
          backlog = undefined;
          cursor = step.value.sequence;
          sent = step.value.position;
          return pump();
        }
        isHungry = readable.push(step.value);
      }
    } catch {
      // The records cannot be read now. The client opens the stream again and resumes.
      end();
    } finally {
      isReading = false;
    }
  }
  function dropIfSlow(): boolean {
    if (hasEnded || backlog !== undefined || events.remembers(cursor)) return false;
    end(format.dropped);
    return true;
  }
  function end(lastWords?: string): void {
    if (hasEnded || readable.destroyed) return;
    hasEnded = true;
    if (lastWords !== undefined) readable.push(lastWords);
    readable.push(null);
  }
  const endQuietly = () => end();

  const telemetry = selectsKind(filter, "telemetry")
    ? needs.board.open({
        levelAt: (siteId) => levelAt(caller, siteId),
        wants: (siteId, deviceId) => selectsPlace(filter, siteId, deviceId),
        onNews: wake,
      })
    : undefined;
  const stopWatching = needs.openSessions.onEnd(caller, endQuietly);
  const heartbeat = setInterval(() => {
    const beat = (isLive: boolean) => {
      if (!isLive) end();
      else if (format.heartbeat !== undefined && isHungry && !hasEnded && !readable.destroyed) {
        isHungry = readable.push(format.heartbeat);
      }
    };
    needs.openSessions.isLive(caller).then(beat, endQuietly);
  }, wanted.heartbeatMs ?? HEARTBEAT_MS);
  const signal = call.signal();
  signal.addEventListener("abort", endQuietly);
  readable.once("close", () => {
    clearInterval(heartbeat);
    wakes.forget(sleeper);
    telemetry?.close();
    stopWatching();
    signal.removeEventListener("abort", endQuietly);
  });

  if (format.opening !== undefined) readable.push(format.opening);
  const gap = isAfterLost(events, after) ? renderGap(filter, LIVE_KINDS) : undefined;
  if (backlog === undefined && gap !== undefined) readable.push(gap);
  if (signal.aborted) end();
  return { readable, wake };
}

/** The number of the event after which the hub keeps everything; undefined when it does not. */
function keptAfter(events: StreamNeeds["events"], after: EventPlace | "unknown"): number | undefined {
  if (after === "unknown") return undefined;
  const { sequence, position } = after;
  return sequence !== undefined && events.remembers(sequence) ? sequence : events.sequenceAt(position);
}

/** Whether events that are not stored may have been lost since. */
function isAfterLost(events: StreamNeeds["events"], after: Wanted["after"]): boolean {
  if (typeof after !== "object" || isBeginning(after)) return false;
  return after.sequence === undefined || !events.remembers(after.sequence);
}

export function isBeginning(after: Wanted["after"]): boolean {
  return typeof after === "object" && after.isBeginning === true;
}

function positionOf(after: Wanted["after"]): number | undefined {
  return typeof after === "object" ? after.position : undefined;
}
