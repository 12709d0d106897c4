import { refuse } from "#core/app-error.ts";
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { renderInstant } from "#core/time/instant.ts";
import { renderMicros } from "#service/command/command-wire.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { EventStreams } from "#service/event/event-streams.ts";
import { webSocketMessages } from "#service/event/stream-format.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice, fineDateTime, listOf, pageOf, paging } from "#service/operation/query.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { listAnswer, oneOf, renderPage, strict, timestamp } from "#service/operation/wire.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";
import type { Needs } from "#service/ports.ts";

const logSchema = strict("DeviceLogEntry", {
  timestamp: Type.String({ format: "date-time", description: "By the device's clock." }),
  received_at: timestamp,
  severity: oneOf(LOG_SEVERITIES),
  message: Type.String(),
  persist: Type.Boolean(),
});
const show = choice("Everything unless said otherwise.", ["ALL", "PERSISTED_ONLY", "TEMPORARY_ONLY"]);
const PERSISTED = { ALL: undefined, PERSISTED_ONLY: true, TEMPORARY_ONLY: false } as const;

interface DeviceLogNeeds extends Pick<Needs, "devices" | "deviceLogs"> {
  readonly eventStreams: EventStreams;
}

export function deviceLogOperations(needs: DeviceLogNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/logs",
      name: "listDeviceLogs",
      summary: "Read the log of a device",
      description:
        "What the device wrote, and what was wrong with its messages. Live: the events of kind log, or this path as a " +
        "WebSocket, which takes severity and show and sends each new entry as a message.",
      tag: "Devices",
      level: "readonly",
      query: {
        ...paging,
        received_at_from: fineDateTime("Leaves out older entries."),
        received_at_to: fineDateTime("Leaves out this moment and what came after."),
        severity: listOf("Only these severities.", LOG_SEVERITIES),
        order: choice("Oldest first unless said otherwise.", ["RECEIVED_AT_ASC", "RECEIVED_AT_DESC"]),
        show,
      },
      answer: listAnswer("logs", logSchema),
      run: async (call) => {
        const { query } = call;
        const device = await visibleDevice(needs, call, call.params.device_id);
        const filter = {
          since: query.received_at_from,
          before: query.received_at_to,
          severities: query.severity,
          persisted: PERSISTED[query.show ?? "ALL"],
          newestFirst: query.order === "RECEIVED_AT_DESC",
        };
        return renderPage("logs", await needs.deviceLogs.list(device.id, filter, pageOf(query)), renderLog);
      },
      live: async (call) => {
        const { show, severity, ...others } = call.query;
        const device = await visibleDevice(needs, call, call.params.device_id);
        const [misplaced] = Object.keys(others);
        if (misplaced !== undefined) {
          const message = `${misplaced} is for reading what is stored; a live log takes severity and show`;
          throw refuse("invalid_query", message, { parameter: misplaced });
        }
        const persisted = PERSISTED[show ?? "ALL"];
        const isWanted = (entry: DeviceLogEntry) =>
          (severity?.includes(entry.severity) ?? true) && (persisted === undefined || persisted === entry.persist);
        const format = webSocketMessages((event) =>
          "entry" in event && isWanted(event.entry) ? Buffer.from(JSON.stringify(renderLog(event.entry))) : undefined,
        );
        const chosen = { "kind.in": ["log"], "site_id.in": undefined, "device_id.in": [device.id] };
        return needs.eventStreams.open(call, { chosen, lastEventId: undefined, format });
      },
    }),
  ];
}

function renderLog({ takenAt, receivedAt, severity, message, persist }: DeviceLogEntry): Static<typeof logSchema> {
  return { timestamp: renderInstant(takenAt), received_at: renderMicros(receivedAt), severity, message, persist };
}
