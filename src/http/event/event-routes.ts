// Server-sent events. Each listener has a bounded buffer: one that reads too slowly is cut off and can resume where it was.
import { Readable } from "node:stream";
import { seesSite } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { choosesEvent, renderEvent } from "#http/event/event-wire.ts";
import { list, listOf, type ParsedQuery } from "#http/query.ts";
import { type Route, route, StreamAnswer } from "#http/route.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { Call } from "#service/ports.ts";

const MAX_BUFFERED_BYTES = 1024 * 1024;
const HEARTBEAT_MS = 15_000;

const query = {
  "kind.in": listOf("Only these kinds of events.", ["execution", "connectivity", "alert", "log"]),
  "site_id.in": list("Only events of these sites."),
  "device_id.in": list("Only events of these devices, by id."),
};

interface EventNeeds {
  readonly events: EventHub;
  readonly authenticator: Authenticator;
  /** Distinguishes this run of the program: sequence numbers start anew with each. */
  readonly runId: string;
}

export function eventRoutes(needs: EventNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/events",
      operation: "listenToEvents",
      summary: "Listen to what happens",
      description:
        "Server-sent events: executions, connectivity, alerts and device logs that the token may see. With the header " +
        "Last-Event-ID it goes on where it stopped; an event named gap says that some could not be kept.",
      tag: "Events",
      access: "readonly",
      query,
      answer: { contentType: "text/event-stream", description: "Events until either side hangs up." },
      handle: async (call) => {
        const stream = openStream(needs, call, call.query);
        resume(needs, stream, call.header("last-event-id"));
        call.signal.addEventListener("abort", () => stream.end(), { once: true });
        return new StreamAnswer("text/event-stream", stream.readable);
      },
    }),
  ];
}

interface Stream {
  readonly readable: Readable;
  send(event: LiveEvent): void;
  write(text: string): void;
  end(): void;
}

function openStream(needs: EventNeeds, call: Call, chosen: ParsedQuery<typeof query>): Stream {
  const readable = new Readable({ read() {} });
  const write = (text: string) => {
    if (readable.destroyed) return;
    if (readable.readableLength > MAX_BUFFERED_BYTES) readable.destroy();
    else readable.push(text);
  };
  const send = (event: LiveEvent) => {
    if (isVisible(call, event) && choosesEvent(chosen, event)) write(renderEvent(event, needs.runId));
  };
  const end = () => {
    if (!readable.destroyed) readable.push(null);
  };
  const stopListening = needs.events.listen(send);
  const stopWatching = needs.authenticator.onEnd(call.caller.tokenId, end);
  const heartbeat = setInterval(() => {
    void needs.authenticator
      .isLive(call.caller.tokenId)
      .then((isLive) => (isLive ? write(": still here\n\n") : end()), end);
  }, HEARTBEAT_MS);
  readable.once("close", () => {
    clearInterval(heartbeat);
    stopListening();
    stopWatching();
  });
  write("retry: 2000\n\n");
  return { readable, send, write, end };
}

function resume(needs: EventNeeds, stream: Stream, lastEventId: string | undefined): void {
  if (lastEventId === undefined || lastEventId === "") return;
  const [run, sequence] = lastEventId.split(":");
  const missed = run === needs.runId ? needs.events.after(Number(sequence)) : undefined;
  if (missed === undefined) stream.write("event: gap\ndata: {}\n\n");
  else for (const event of missed) stream.send(event);
}

function isVisible({ caller }: Call, event: LiveEvent): boolean {
  if (!seesSite(caller, event.siteId)) return false;
  if (event.kind === "execution") return allows(caller.level, event.execution.readLevel);
  return event.kind !== "alert" || allows(caller.level, event.alert.record.readLevel);
}
