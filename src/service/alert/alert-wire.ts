import { DOORS } from "#core/access/door.ts";
import type { Acknowledgement } from "#core/alert/acknowledgement.ts";
import { renderAlertDetails } from "#core/alert/alert-details.ts";
import { ALERT_SEVERITIES, ALERT_STATES, alertStateOf } from "#core/alert/alert-state.ts";
import { KNOWN_ALERTS } from "#core/alert/known-alerts.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { DescribedAlert } from "#service/alert/describe-alert.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const texts = Type.Optional(Type.Array(Type.String()));

export const alertSchema = described("Alert", "One raising of an alert. It is active while it has no cleared_at.", {
  id: Type.String({ description: "Alert id, as the device lists it." }),
  device_id: Type.String(),
  site_id: Type.String(),
  severity: oneOf(ALERT_SEVERITIES),
  state: oneOf(ALERT_STATES, {
    description:
      "SOFT until it has lasted its grace period, then HARD. UNCONFIRMED while the device sends telemetry without " +
      "repeating the list.",
  }),
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
  not_confirmed_since: Type.Optional(
    Type.String({ format: "date-time", description: "When a list named an UNCONFIRMED alert for the last time." }),
  ),
  cleared_at: Type.Optional(timestamp),
  acknowledgement: Type.Optional(
    strict("Acknowledgement", {
      at: timestamp,
      by: strict("AcknowledgedBy", {
        token_id: Type.String(),
        name: Type.String({ description: "Of the token, as it was then." }),
      }),
      comment: nullable(Type.String()),
      door: nullable(oneOf(DOORS, { description: "How it came, as in the audit log." })),
    }),
  ),
  silenced_until: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Only in lists of active alerts: a maintenance window holds notifications back until then.",
    }),
  ),
  details: Type.Optional(
    Type.Unsafe<string | object>({
      type: ["string", "object"],
      description: "What the device said about it in alert_details: a text or an object.",
    }),
  ),
  source: Type.String({ description: "The telemetry attribute that lists it." }),
  declared: Type.Boolean({
    description:
      "Whether the blueprint declares it. If not, and if it is not one that Busbar knows, it counts as an error.",
  }),
});

export function renderAlert({ record, declared, silencedUntil }: DescribedAlert): Static<typeof alertSchema> {
  const { isHard, hardensAt, clearedAt, notConfirmedSince, acknowledgement } = record;
  const described = declared ?? KNOWN_ALERTS.get(record.alertId);
  return {
    id: record.alertId,
    device_id: record.deviceId,
    site_id: record.siteId,
    severity: record.severity,
    state: alertStateOf(record),
    display_name: described?.displayName ?? record.alertId,
    ...(described !== undefined && {
      ...(described.description !== "" && { description: described.description }),
      ...(described.code !== undefined && { code: described.code }),
      ...given("troubleshooting", described.troubleshooting),
      ...given("components", described.components),
      ...given("conditions", described.conditions),
      ...given("telemetry", described.telemetry),
    }),
    raised_at: renderInstant(record.raisedAt),
    ...(isHard && { hardened_at: renderInstant(hardensAt) }),
    ...(notConfirmedSince !== undefined && { not_confirmed_since: renderInstant(notConfirmedSince) }),
    ...(alertStateOf(record) === "SOFT" && clearedAt === undefined && { hardens_at: renderInstant(hardensAt) }),
    ...(clearedAt !== undefined && { cleared_at: renderInstant(clearedAt) }),
    ...(acknowledgement !== undefined && { acknowledgement: renderAcknowledgement(acknowledgement) }),
    ...(silencedUntil !== undefined && { silenced_until: renderInstant(silencedUntil) }),
    ...(record.details !== undefined && { details: renderAlertDetails(record.details) }),
    source: record.source,
    declared: declared !== undefined,
  };
}

function renderAcknowledgement({ at, by, comment, door }: Acknowledgement) {
  const named = { token_id: by.tokenId, name: by.name };
  return { at: renderInstant(at), by: named, comment: comment ?? null, door: door ?? null };
}

function given<Name extends string>(name: Name, list: readonly string[]): { readonly [key in Name]?: string[] } {
  return list.length === 0 ? {} : ({ [name]: [...list] } as { readonly [key in Name]?: string[] });
}
