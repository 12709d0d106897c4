// Server-sent events for one listener. It draws from the hub as fast as the other end reads, so that a slow one costs no
// memory; one that falls behind what the hub keeps is cut off, and learns of the gap when it resumes. Telemetry waits
// beside, the newest value of each attribute, and is told every now and then, whenever there is room.
import { Readable } from "node:stream";
import { seesSite } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { type Chosen, chooses, choosesKind } from "#http/event/event-choice-wire.ts";
import { renderEvent, renderTelemetryEvent } from "#http/event/event-wire.ts";
import { createTelemetryBuffer } from "#http/event/telemetry-buffer.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { Call } from "#service/ports.ts";
import type { TelemetryFeed } from "#service/telemetry/telemetry-feed.ts";

const HEARTBEAT_MS = 15_000;
const TELEMETRY_MS = 250;

export interface EventStreamNeeds {
  readonly events: EventHub;
  readonly feed: TelemetryFeed;
  readonly authenticator: Pick<Authenticator, "onEnd" | "isLive">;
  /** Distinguishes this run of the program: sequence numbers start anew with each. */
  readonly runId: string;
}

interface Listening extends Pick<Call, "caller"> {
  /** Ends the stream: the service stops. */
  readonly signal: AbortSignal;
}

interface Wanted {
  readonly chosen: Chosen;
  readonly lastEventId: string | undefined;
  readonly heartbeatMs?: number;
  /** Least time between two rounds of telemetry. */
  readonly telemetryMs?: number;
}

export function openEventStream(needs: EventStreamNeeds, call: Listening, wanted: Wanted): Readable {
  const { events } = needs;
  const resumed = resumeAfter(needs, wanted.lastEventId);
  /** Sequence of the last event that was looked at. */
  let cursor = resumed ?? events.lastSequence;
  let isHungry = false;
  let hasEnded = false;
  const telemetry = createTelemetryBuffer(call, wanted.chosen);
  /** Gathers what comes before the next round; undefined between rounds. */
  let gathering: NodeJS.Timeout | undefined;
  const readable = new Readable({ read: pump });

  function pump(): void {
    isHungry = true;
    if (hasEnded || readable.destroyed) return;
    const waiting = events.after(cursor);
    if (waiting === undefined) return void readable.destroy();
    for (const event of waiting) {
      cursor = event.sequence;
      if (isVisible(call, event) && chooses(wanted.chosen, event)) {
        isHungry = readable.push(renderEvent(event, needs.runId));
        if (!isHungry) return;
      }
    }
    if (gathering === undefined) tellTelemetry();
  }
  function tellTelemetry(): void {
    for (let news = telemetry.take(); news !== undefined; news = telemetry.take()) {
      isHungry = readable.push(renderTelemetryEvent(news));
      if (!isHungry) return;
    }
  }
  function gather(): void {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      if (isHungry) pump();
    }, wanted.telemetryMs ?? TELEMETRY_MS);
  }
  function end(): void {
    hasEnded = true;
    if (!readable.destroyed) readable.push(null);
  }

  const stopListening = events.listen(() => {
    if (isHungry) pump();
    else if (!events.remembers(cursor)) readable.destroy();
  });
  const stopTelemetry = choosesKind(wanted.chosen, "telemetry")
    ? needs.feed.watch((news) => {
        telemetry.add(news);
        if (!telemetry.isEmpty) gather();
      })
    : undefined;
  const stopWatching = needs.authenticator.onEnd(call.caller.tokenId, end);
  const heartbeat = setInterval(() => {
    const beat = (isLive: boolean) => {
      if (!isLive) end();
      else if (isHungry && !hasEnded && !readable.destroyed) isHungry = readable.push(": still here\n\n");
    };
    needs.authenticator.isLive(call.caller.tokenId).then(beat, end);
  }, wanted.heartbeatMs ?? HEARTBEAT_MS);
  call.signal.addEventListener("abort", end);
  readable.once("close", () => {
    clearInterval(heartbeat);
    clearTimeout(gathering);
    stopListening();
    stopTelemetry?.();
    stopWatching();
    call.signal.removeEventListener("abort", end);
  });

  const isGap = wanted.lastEventId !== undefined && wanted.lastEventId !== "" && resumed === undefined;
  readable.push(`retry: 2000\n\n${isGap ? "event: gap\ndata: {}\n\n" : ""}`);
  return readable;
}

/** The sequence to go on after, or undefined when there is none or what followed is forgotten. */
function resumeAfter({ events, runId }: EventStreamNeeds, lastEventId = ""): number | undefined {
  const [run, sequence = ""] = lastEventId.split(":");
  if (run !== runId || !/^\d{1,15}$/.test(sequence)) return undefined;
  return events.remembers(Number(sequence)) ? Number(sequence) : undefined;
}

function isVisible({ caller }: Listening, event: LiveEvent): boolean {
  if (!seesSite(caller, event.siteId)) return false;
  if (event.kind === "execution") return allows(caller.level, event.execution.readLevel);
  return event.kind !== "alert" || allows(caller.level, event.alert.record.readLevel);
}
