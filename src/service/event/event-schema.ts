// What the data of an event holds, by its kind.
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { EVENT_KINDS } from "#core/event/event.ts";
import { alertSchema } from "#service/alert/alert-wire.ts";
import { executionSchema } from "#service/command/command-wire.ts";
import { connectivitySchema } from "#service/device/device-wire.ts";
import { runtimeSchema } from "#service/device/runtime-wire.ts";
import { changeSchema } from "#service/link/change-wire.ts";
import { type Fields, Type } from "#service/operation/schema.ts";
import { oneOf, strict, timestamp } from "#service/operation/wire.ts";

const about = <Own extends Fields>(title: string, own: Own) =>
  strict(title, { site_id: Type.String(), device_id: Type.String(), ...own });

const snapshot = strict("Snapshot", {
  value: Type.Unsafe<unknown>({
    anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "array", items: { type: "string" } }],
  }),
  timestamp: Type.Number({ description: "Unix seconds." }),
});

const EVENT_SCHEMAS = {
  execution: about("ExecutionEvent", { execution: executionSchema }),
  alert: about("AlertEvent", {
    change: oneOf(["raised", "hardened", "unconfirmed", "confirmed", "cleared"]),
    at: timestamp,
    alert: alertSchema,
  }),
  connectivity: about("ConnectivityEvent", { connectivity: connectivitySchema, at: timestamp }),
  device: about("DeviceEvent", { change: oneOf(["created", "updated", "deleted"]), at: timestamp }),
  change: about("ChangeEvent", { change: changeSchema, at: timestamp }),
  configuration: about("ConfigurationEvent", { bucket: Type.String(), at: timestamp }),
  runtime: about("RuntimeEvent", { runtime: runtimeSchema, at: timestamp }),
  log: about("LogEvent", {
    log: strict("LogLine", { severity: oneOf(LOG_SEVERITIES), message: Type.String() }),
    timestamp: Type.String({ format: "date-time", description: "By the device's clock." }),
    received_at: timestamp,
  }),
  telemetry: about("TelemetryEvent", {
    telemetry: Type.Unsafe<object>({ type: "object", additionalProperties: snapshot }),
  }),
  gap: strict("GapEvent", {
    kinds: Type.Array(oneOf(EVENT_KINDS), { description: "Of these kinds some events are missing." }),
  }),
};

/** The data of any event. Its kind is the name of the event. */
export const eventDataSchema = Type.Unsafe<object>({
  title: "EventData",
  description: "The data of an event, by the name of the event.",
  anyOf: Object.values(EVENT_SCHEMAS),
});
