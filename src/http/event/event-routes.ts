import { type EventStreamNeeds, openEventStream } from "#http/event/event-stream.ts";
import { EVENT_KINDS } from "#http/event/event-wire.ts";
import { list, listOf } from "#http/query.ts";
import { type Route, route, StreamAnswer } from "#http/route.ts";

const query = {
  "kind.in": listOf("Only these kinds of events.", EVENT_KINDS),
  "site_id.in": list("Only events of these sites."),
  "device_id.in": list("Only events of these devices, by id."),
};

export function eventRoutes(needs: EventStreamNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/events",
      operation: "listenToEvents",
      summary: "Listen to what happens",
      description:
        "Server-sent events: executions, telemetry, alerts, connectivity and device logs that the token may see. With the " +
        "header Last-Event-ID it goes on where it stopped; an event named gap says that some could not be kept. " +
        "Telemetry comes as the newest value of each attribute, at most four times a second, and is not repeated.",
      tag: "Events",
      access: "readonly",
      query,
      answer: { contentType: "text/event-stream", description: "Events until either side hangs up." },
      handle: async (call) => {
        const stream = openEventStream(needs, call, { chosen: call.query, lastEventId: call.header("last-event-id") });
        return new StreamAnswer("text/event-stream", stream);
      },
    }),
  ];
}
