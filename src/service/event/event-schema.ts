// What the data of an event holds, by its kind.
import { BULK_STATES } from "#core/bulk/bulk-command.ts";
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { EVENT_KINDS } from "#core/event/event.ts";
import { alertSchema } from "#service/alert/alert-wire.ts";
import { memberSchema } from "#service/bulk/bulk-wire.ts";
import { executionSchema } from "#service/command/command-wire.ts";
import { controlSchema } from "#service/control/control-wire.ts";
import { connectivitySchema } from "#service/device/device-wire.ts";
import { runtimeSchema } from "#service/device/runtime-wire.ts";
import { changeSchema } from "#service/link/change-wire.ts";
import { notificationSchema } from "#service/notification/notification-wire.ts";
import { type Fields, Type } from "#service/operation/schema.ts";
import { described, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import { ruleNewsSchema } from "#service/rule/rule-news-wire.ts";

const OF_DEVICE = { site_id: Type.String(), device_id: Type.String() };
const about = <Own extends Fields>(title: string, own: Own) => strict(title, { ...OF_DEVICE, ...own });

const snapshot = strict("Snapshot", {
  value: Type.Unsafe<unknown>({
    anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "array", items: { type: "string" } }],
  }),
  timestamp: Type.Number({ description: "Unix seconds." }),
});

const EVENT_SCHEMAS = {
  execution: about("ExecutionEvent", { execution: executionSchema }),
  alert: about("AlertEvent", {
    change: oneOf(["raised", "hardened", "unconfirmed", "confirmed", "cleared", "acknowledged", "unacknowledged"]),
    at: timestamp,
    alert: alertSchema,
  }),
  connectivity: about("ConnectivityEvent", { connectivity: connectivitySchema, at: timestamp }),
  device: about("DeviceEvent", { change: oneOf(["created", "updated", "deleted"]), at: timestamp }),
  change: described("ChangeEvent", "A change that the gateway of the device was asked for is settled.", {
    ...OF_DEVICE,
    change: changeSchema,
    at: timestamp,
  }),
  bulk: described("BulkEvent", "A device of a bulk command has begun or is done, or all of them are.", {
    ...OF_DEVICE,
    bulk: strict("BulkHead", {
      id: Type.String(),
      state: oneOf(BULK_STATES),
      has_ended: Type.Boolean({ description: "No device waits or runs any more." }),
    }),
    device: memberSchema,
    at: timestamp,
  }),
  configuration: described("ConfigurationEvent", "The values of a bucket were replaced.", {
    ...OF_DEVICE,
    bucket: Type.String(),
    at: timestamp,
  }),
  control: described(
    "ControlEvent",
    "Who controls a quantity of the device, its limits, or whether the device follows has changed. A new measurement alone is no event.",
    { ...OF_DEVICE, control: controlSchema, at: timestamp },
  ),
  runtime: about("RuntimeEvent", { runtime: runtimeSchema, at: timestamp }),
  log: about("LogEvent", {
    log: strict("LogLine", { severity: oneOf(LOG_SEVERITIES), message: Type.String() }),
    timestamp: Type.String({ format: "date-time", description: "By the device's clock." }),
    received_at: timestamp,
  }),
  telemetry: described(
    "TelemetryEvent",
    "The newest value of attributes that changed, at most four times a second. It is never repeated.",
    { ...OF_DEVICE, telemetry: Type.Unsafe<object>({ type: "object", additionalProperties: snapshot }) },
  ),
  rule: ruleNewsSchema,
  notification: notificationSchema,
  gap: described("GapEvent", "Some events could not be kept: state that was built from events must be read again.", {
    kinds: Type.Array(oneOf(EVENT_KINDS), { description: "Of these kinds some events are missing." }),
  }),
};

/** The data of any event. Its kind is the name of the event. */
export const eventDataSchema = Type.Unsafe<object>({
  title: "EventData",
  description: "The data of an event, by the name of the event.",
  anyOf: Object.values(EVENT_SCHEMAS),
});
