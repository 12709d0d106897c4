import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#http/schema.ts";
import { oneOf, strict, timestamp } from "#http/wire.ts";
import type { DescribedAlert } from "#service/alert/describe-alert.ts";

export const ALERT_STATES = ["SOFT", "HARD"] as const;

const texts = Type.Optional(Type.Array(Type.String()));

export const alertSchema = strict("Alert", {
  id: Type.String({ description: "Alert id, as the device lists it." }),
  device_id: Type.String(),
  site_id: Type.String(),
  severity: oneOf(ALERT_SEVERITIES),
  state: oneOf(ALERT_STATES, { description: "SOFT until it has lasted its grace period, then HARD." }),
  display_name: Type.String(),
  description: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ description: "The vendor's own code." })),
  troubleshooting: texts,
  components: texts,
  conditions: texts,
  telemetry: texts,
  raised_at: timestamp,
  hardens_at: Type.Optional(
    Type.String({ format: "date-time", description: "When an active SOFT alert turns HARD, if it lasts." }),
  ),
  hardened_at: Type.Optional(Type.String({ format: "date-time", description: "When it turned HARD." })),
  cleared_at: Type.Optional(timestamp),
  source: Type.String({ description: "The telemetry attribute that lists it." }),
  declared: Type.Boolean({ description: "Whether the blueprint declares it. If not, it counts as an error." }),
});

export function renderAlert({ record, declared }: DescribedAlert): Static<typeof alertSchema> {
  const { isHard, hardensAt, clearedAt } = record;
  return {
    id: record.alertId,
    device_id: record.deviceId,
    site_id: record.siteId,
    severity: record.severity,
    state: isHard ? "HARD" : "SOFT",
    display_name: declared?.displayName ?? record.alertId,
    ...(declared !== undefined && {
      ...(declared.description !== "" && { description: declared.description }),
      ...(declared.code !== undefined && { code: declared.code }),
      ...given("troubleshooting", declared.troubleshooting),
      ...given("components", declared.components),
      ...given("conditions", declared.conditions),
      ...given("telemetry", declared.telemetry),
    }),
    raised_at: renderInstant(record.raisedAt),
    ...(isHard && { hardened_at: renderInstant(hardensAt) }),
    ...(!isHard && clearedAt === undefined && { hardens_at: renderInstant(hardensAt) }),
    ...(clearedAt !== undefined && { cleared_at: renderInstant(clearedAt) }),
    source: record.source,
    declared: declared !== undefined,
  };
}

function given<Name extends string>(name: Name, list: readonly string[]): { readonly [key in Name]?: string[] } {
  return list.length === 0 ? {} : ({ [name]: [...list] } as { readonly [key in Name]?: string[] });
}
