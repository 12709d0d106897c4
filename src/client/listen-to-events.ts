import { mayPass } from "./errors.ts";
import { createEventStream, type EventMessage, type EventStream } from "./event-stream.ts";
import type { LiveEvent } from "./live-event.ts";
import { pause } from "./pause.ts";
import { callOf } from "./perform.ts";
import type { Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

export type EventQuery = Queries["listenToEvents"];

export type EventCall = { readonly signal?: AbortSignal | undefined };

/** The server sends something at least every 15 s: after three times that the connection is dead. */
const SILENCE = 45_000;
const FIRST_RETRY = 2_000;
const LAST_RETRY = 30_000;

/**
 * What happens, as it happens. A lost connection is made again, and what was missed meanwhile follows; where the server
 * could not keep it, a `gap` says so. Ends only by an exception: the first connection fails, the server refuses, the
 * caller's signal.
 */
export async function* listenToEvents(
  transport: Transport,
  query: EventQuery,
  { signal }: EventCall,
): AsyncGenerator<LiveEvent> {
  let stream: EventStream | undefined;
  for (let failures = 0; ; ) {
    try {
      const pieces = await transport.stream(
        callOf("listenToEvents", {
          query,
          headers: { Accept: "text/event-stream", "Last-Event-ID": stream?.lastId },
          signal,
        }),
        { silence: SILENCE, isEndless: true },
      );
      const isLost = stream !== undefined && stream.lastId === undefined;
      stream = createEventStream(stream?.lastId);
      failures = 0;
      yield { kind: "open" };
      // Without an id the server cannot know what this listener has missed.
      if (isLost) yield { kind: "gap" };
      for await (const piece of pieces) {
        for (const message of stream.push(piece)) yield* parseEvent(message);
      }
    } catch (error) {
      if (stream === undefined || !mayPass(error)) throw error;
    }
    yield { kind: "lost" };
    failures += 1;
    await pause(delayAfter(failures, stream?.retry), signal);
  }
}

/** Longer with each failure, and not the same for all who lost the same server. */
function delayAfter(failures: number, retry = FIRST_RETRY): number {
  return Math.min(retry * 2 ** (failures - 1), LAST_RETRY) * (0.5 + Math.random() / 2);
}

/** A message of another form is ignored: a newer server may send it. A dropped listener notices the lost connection. */
function parseEvent({ event: kind, data }: EventMessage): readonly LiveEvent[] {
  if (kind === "dropped") return [];
  try {
    const content: unknown = JSON.parse(data);
    return typeof content === "object" && content !== null ? [{ ...content, kind } as LiveEvent] : [];
  } catch {
    return [];
  }
}
