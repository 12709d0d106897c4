// What happens, for one listener. It reads from the hub as fast as the client does, so a slow client costs no
// memory. A client that falls behind what the hub keeps is told so and disconnected, and learns of the gap when it
// resumes. Telemetry comes from the board whenever there is room.
import { Readable } from "node:stream";
import { seesSite } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { type Chosen, parseChoice } from "#http/event/event-choice-wire.ts";
import type { StreamFormat } from "#http/event/stream-format.ts";
import type { TelemetryBoard } from "#http/event/telemetry-board.ts";
import type { WakeQueue } from "#http/event/wake-queue.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { Call } from "#service/ports.ts";

const HEARTBEAT_MS = 15_000;
/** Messages that wait in a stream of messages. */
const MAX_MESSAGES = 4;

interface StreamNeeds {
  readonly events: Pick<EventHub, "at" | "remembers" | "lastSequence">;
  readonly board: TelemetryBoard;
  readonly wakes: WakeQueue;
  readonly authenticator: Pick<Authenticator, "onEnd" | "isLive">;
}

export interface Listening extends Pick<Call, "caller" | "remoteAddress"> {
  /** Ends the stream: the client has gone or the service stops. */
  readonly signal: AbortSignal;
}

export interface Wanted {
  readonly chosen: Chosen;
  /** Resume after this event. Undefined starts now; `gap` does too, but reports that something may be missing. */
  readonly after: number | "gap" | undefined;
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
  const { format } = wanted;
  const choice = parseChoice(wanted.chosen);
  const isGap = wanted.after === "gap" || (wanted.after !== undefined && !events.remembers(wanted.after));
  /** Number of the last event that was checked. */
  let cursor = isGap || typeof wanted.after !== "number" ? events.lastSequence : wanted.after;
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
    if (hasEnded || readable.destroyed || dropIfSlow()) return;
    for (let event = events.at(cursor + 1); event !== undefined; event = events.at(cursor + 1)) {
      cursor = event.sequence;
      const text = isVisible(event) ? format.event(event) : undefined;
      if (text === undefined) continue;
      isHungry = readable.push(text);
      if (!isHungry) return;
    }
    for (let news = telemetry?.take(); news !== undefined; news = telemetry?.take()) {
      isHungry = readable.push(format.telemetry(news));
      if (!isHungry) return;
    }
  }
  function isVisible(event: LiveEvent): boolean {
    if (!choice.choosesKind(event.kind) || !choice.choosesPlace(event.siteId, event.deviceId)) return false;
    if (!seesSite(caller, event.siteId)) return false;
    if (event.kind === "execution") return allows(caller.level, event.execution.readLevel);
    return event.kind !== "alert" || allows(caller.level, event.alert.record.readLevel);
  }
  function dropIfSlow(): boolean {
    if (hasEnded || events.remembers(cursor)) return false;
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

  const telemetry = choice.choosesKind("telemetry")
    ? needs.board.open({
        level: caller.level,
        wants: (siteId, deviceId) => seesSite(caller, siteId) && choice.choosesPlace(siteId, deviceId),
        onNews: wake,
      })
    : undefined;
  const stopWatching = needs.authenticator.onEnd(caller.tokenId, endQuietly);
  const heartbeat = setInterval(() => {
    const beat = (isLive: boolean) => {
      if (!isLive) end();
      else if (format.heartbeat !== undefined && isHungry && !hasEnded && !readable.destroyed) {
        isHungry = readable.push(format.heartbeat);
      }
    };
    needs.authenticator.isLive(caller.tokenId).then(beat, endQuietly);
  }, wanted.heartbeatMs ?? HEARTBEAT_MS);
  call.signal.addEventListener("abort", endQuietly);
  readable.once("close", () => {
    clearInterval(heartbeat);
    wakes.forget(sleeper);
    telemetry?.close();
    stopWatching();
    call.signal.removeEventListener("abort", endQuietly);
  });

  const opening = format.opening(isGap);
  if (opening !== undefined) readable.push(opening);
  if (call.signal.aborted) end();
  return { readable, wake };
}
