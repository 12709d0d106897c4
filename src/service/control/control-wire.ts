import { DOORS } from "#core/access/door.ts";
import { CLAIM_CLASSES, CLAIM_KINDS, type Claim, type ClaimValue } from "#core/control/claim.ts";
import { CONTROLLED_TYPES } from "#core/control/control.ts";
import { type ControlRecord, LONGEST_REASON } from "#core/control/control-record.ts";
import { FOLLOWS } from "#core/control/control-writer.ts";
import { durationProblem, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { fineTime, instant, renderInstant } from "#core/time/instant.ts";
import { Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { ControlView } from "./control-view.ts";

/** Interlocks are made by the site, not by callers. */
const CALLER_CLASSES = ["grid", "person", "rule", "plan", "default"] as const;

const claimValue = Type.Unsafe<ClaimValue>({
  anyOf: [{ type: "number" }, { type: "string", enum: ["unlimited"] }, { type: "null" }],
  description: "In the unit of the control. null, as if left out, says nothing now; unlimited is for min and max.",
});
const finite = (description: string) => nullable(Type.Number({ description }));

export const claimSchema = described("Claim", "What somebody wants of a control, and until when.", {
  id: id("Claim identifier."),
  kind: oneOf(CLAIM_KINDS, { description: "A wanted value, or a limit of what others want." }),
  value: claimValue,
  class: oneOf(CLAIM_CLASSES, { description: "The first of the list counts most." }),
  source: Type.String({ description: "Who claims, such as token:ID." }),
  source_name: nullable(Type.String({ description: "The name of the token or of the interlock, while it is known." })),
  reason: Type.String(),
  lease_until: timestamp,
  created_at: timestamp,
  cause: nullable(Type.String({ description: "What led to it, such as execution:ID." })),
  door: nullable(oneOf(DOORS, { description: "How it came, as in the audit log." })),
});

export const controlSchema = described("Control", "A controlled quantity of a device, and who controls it now.", {
  id: Type.String(),
  device_id: Type.String(),
  display_name: Type.String(),
  type: oneOf(CONTROLLED_TYPES, { description: "Of the argument. Of boolean, values are 0 and 1." }),
  unit: nullable(Type.String()),
  command: Type.String(),
  argument: Type.String(),
  min: finite("null: no limit is known."),
  max: finite("null: no limit is known."),
  step: finite("Values are multiples of it."),
  value: finite("What counts now; null: nobody claims it."),
  lower_bound: finite("The lowest value that claims allow now."),
  upper_bound: finite("The highest value that claims allow now."),
  is_contradicted: Type.Boolean({ description: "Limits exclude each other; the safe side of the control counts." }),
  winner: nullable(claimSchema),
  limited_by: Type.Array(claimSchema, { description: "The claims that set the bounds." }),
  losers: Type.Array(claimSchema, { description: "Claims that hold and do not count now." }),
  until: nullable(timestamp),
  written: finite("What was last sent to the device."),
  measured: finite("What the device measures; null also if the caller may not read it."),
  measured_at: nullable(timestamp),
  follow: oneOf(FOLLOWS, { description: "Whether the device follows what was sent." }),
  not_confirmed_since: nullable(
    Type.String({
      format: "date-time",
      description:
        "In a cloud: the gateway has been offline since then, or too old to report controls. Everything else is what it last reported.",
    }),
  ),
});

export const newClaimSchema = strict("NewClaim", {
  kind: Type.Optional(oneOf(CLAIM_KINDS, { description: "Default: target." })),
  value: Type.Optional(claimValue),
  class: Type.Optional(
    oneOf(CALLER_CLASSES, { description: "Default: person. grid only limits, and needs level installer." }),
  ),
  reason: name("Why, for people.", LONGEST_REASON),
  lease: Type.Optional(
    Type.String({
      maxLength: 50,
      description: "A duration such as 10m. Default: 1h for person, else 1m. At most 7d for person, else 1d.",
    }),
  ),
  take_over: Type.Optional(
    Type.Boolean({ description: "Ends the targets of the same class that others have. Otherwise the oldest counts." }),
  ),
});

export const renewalSchema = strict("ClaimRenewal", {
  lease: Type.Optional(Type.String({ maxLength: 50, description: "From now on. Default: as for a new claim." })),
});

export const recordSchema = described("ControlRecord", "What controlled a device since a moment.", {
  at: timestamp,
  control: Type.String(),
  value: finite("null: the fallback."),
  measured: finite("What the device measured then."),
  follow: oneOf(FOLLOWS),
  class: nullable(oneOf(CLAIM_CLASSES)),
  source: nullable(Type.String()),
  source_name: nullable(Type.String({ description: "As of a claim." })),
  reason: nullable(Type.String()),
  cause: nullable(Type.String()),
  door: nullable(oneOf(DOORS, { description: "As of a claim." })),
});

/** A text that says what is wrong, or milliseconds. */
export function parseLease(text: string): number | string {
  const parsed = parseDuration(text);
  if (parsed === undefined) return durationProblem(text) ?? "it is no duration";
  return toMilliseconds(parsed);
}

/** The name of a source for people, or null. */
export type NameOfSource = (source: string) => string | null;
const NO_NAMES: NameOfSource = () => null;

export function renderClaim(claim: Claim, nameOf: NameOfSource) {
  return {
    id: claim.id,
    kind: claim.kind,
    value: claim.value,
    class: claim.class,
    source: claim.source,
    source_name: nameOf(claim.source),
    reason: claim.reason,
    lease_until: renderInstant(instant(claim.leaseUntil)),
    created_at: renderInstant(instant(claim.createdAt)),
    cause: claim.cause ?? null,
    door: claim.door ?? null,
  };
}

const number = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

export type RenderedControl = ReturnType<typeof renderControlView>;

export function renderControlView(view: ControlView, mayReadMeasured: boolean, nameOf: NameOfSource = NO_NAMES) {
  const rendered = (claim: Claim) => renderClaim(claim, nameOf);
  const { control, resolution, state } = view;
  const { winner, bounds, losers, until, isContradicted } = resolution;
  const measured = mayReadMeasured ? view.measured : undefined;
  return {
    id: control.id,
    device_id: view.deviceId,
    display_name: control.displayName,
    type: control.argumentType,
    unit: control.unit ?? null,
    command: control.command,
    argument: control.argument,
    min: number(control.min),
    max: number(control.max),
    step: number(control.step),
    value: number(resolution.value),
    lower_bound: number(bounds.min),
    upper_bound: number(bounds.max),
    is_contradicted: isContradicted,
    winner: winner === undefined ? null : rendered(winner),
    limited_by: [...new Set([bounds.minBy, bounds.maxBy])].filter((one) => one !== undefined).map(rendered),
    losers: [...losers, ...view.claims.filter(({ value }) => value === null)].map(rendered),
    until: until === undefined ? null : renderInstant(instant(until)),
    written: number(state.sent),
    measured: number(measured?.value),
    measured_at: measured === undefined ? null : renderInstant(fineTime(measured.at)),
    follow: view.unconfirmedSince === undefined ? state.follow : "unknown",
    not_confirmed_since: view.unconfirmedSince === undefined ? null : renderInstant(instant(view.unconfirmedSince)),
  };
}

export function renderRecord(record: ControlRecord, mayReadMeasured: boolean, nameOf: NameOfSource = NO_NAMES) {
  return {
    at: renderInstant(fineTime(record.at / 1000)),
    control: record.control,
    value: number(record.value),
    measured: mayReadMeasured ? number(record.measured) : null,
    follow: record.follow,
    class: record.class ?? null,
    source: record.source ?? null,
    source_name: record.source === undefined ? null : nameOf(record.source),
    reason: record.reason ?? null,
    cause: record.cause ?? null,
    door: record.door ?? null,
  };
}
