import { deviceName } from "#core/device/slug.ts";
import { EVENT_KINDS } from "#core/event/event.ts";
import { eventDataSchema } from "#service/event/event-schema.ts";
import type { EventStreams } from "#service/event/event-streams.ts";
import { MAX_REPLAY_MS } from "#service/event/recent-positions.ts";
import { StreamAnswer } from "#service/operation/answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { durationUpTo, list, listOf } from "#service/operation/query.ts";
import type { Call, Needs } from "#service/ports.ts";

const query = {
  "kind.in": listOf("Only these kinds of events.", EVENT_KINDS),
  "site_id.in": list("Only events of these sites."),
  "device_id.in": list("Only events of these devices, by id or slug."),
  replay: durationUpTo(
    MAX_REPLAY_MS,
    "Begins with the changes of so much time before now, at most 60s, so that nothing is lost between the reading of a list " +
      "and the opening of the stream. A few more may come. Last-Event-ID wins over it.",
  ),
};

interface EventNeeds extends Pick<Needs, "devices"> {
  readonly eventStreams: EventStreams;
}

export function eventOperations(needs: EventNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/events",
      name: "listenToEvents",
      summary: "Listen to what happens",
      description:
        "Server-sent events: changes of executions, alerts, connectivity, configuration, devices and controls, and telemetry, " +
        "device logs and the state of scripts, as far as the token may see them. With the header Last-Event-ID it goes on where it stopped, " +
        "also after a restart. An event named gap names the kinds of which some events are missing: controls, logs and states " +
        "of scripts are kept for a short time and not across a restart, and are then read again. When changes are missing, because they are more than a day old or " +
        "too many, the current state follows as events without an id: devices, connectivity, active alerts and open executions. " +
        "A listener that reads too slowly gets an event named dropped and the end of the stream; it can resume. " +
        "Telemetry comes as the newest value of each attribute, at most four times a second, and is not repeated.",
      tag: "Events",
      level: "readonly",
      query,
      headers: {
        "Last-Event-ID": {
          description: "The id of the last event that came before the connection was lost. What was missed follows.",
          schema: { type: "string" },
        },
      },
      answer: {
        contentType: "text/event-stream",
        description: "Events until either side hangs up.",
        schema: eventDataSchema,
      },
      run: async (call) => {
        const chosen = { ...call.query, "device_id.in": await deviceIds(needs, call, call.query["device_id.in"]) };
        const stream = needs.eventStreams.open(call, {
          chosen,
          lastEventId: call.header("last-event-id"),
          replayMs: call.query.replay,
        });
        // Otherwise a proxy such as nginx would hold events back until its buffer is full.
        return new StreamAnswer("text/event-stream", stream, { "x-accel-buffering": "no" });
      },
    }),
  ];
}

/**
 * Ids beside the names. A slug that several devices share means all of them; an unknown name matches nothing yet.
 */
async function deviceIds(
  { devices }: Pick<Needs, "devices">,
  { caller }: Pick<Call, "caller">,
  names: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (names === undefined) return undefined;
  const named = names.map(deviceName);
  const { items } = await devices.list({ scope: caller.sites, names: named }, ALL);
  return [...named, ...items.map(({ id }) => id)];
}

const ALL = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };
