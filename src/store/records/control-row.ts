import { doorOf } from "#core/access/door.ts";
import { CLAIM_CLASSES, CLAIM_KINDS, type Claim } from "#core/control/claim.ts";
import type { ControlRecord } from "#core/control/control-record.ts";
import { type ControlState, FOLLOWS, NEVER_WRITTEN, type Write } from "#core/control/control-writer.ts";
import type { Row } from "#store/database.ts";
import { number, oneOf, optionalNumber, optionalText, text } from "./row.ts";
import { checksumOf } from "./row-checksum.ts";
import { isObject } from "./stored-json.ts";

export const CLAIM_COLUMNS =
  "id, device_id, control, kind, value, class, source, reason, lease_until, created_at, cause, door";
export const RECORD_COLUMNS = "at, control, value, follow, measured, class, source, reason, cause, door";

/** In the order of `CLAIM_COLUMNS`. */
export function claimValues(claim: Claim): readonly (string | number | null)[] {
  const { id, deviceId, control, kind, value, source, reason, leaseUntil, createdAt, cause, door } = claim;
  const stored = value === null ? null : String(value);
  return [
    id,
    deviceId,
    control,
    kind,
    stored,
    claim.class,
    source,
    reason,
    leaseUntil,
    createdAt,
    cause ?? null,
    door ?? null,
  ];
}

/** Of one without a door it is what earlier versions have stored. */
export function claimChecksum(claim: Claim): number {
  const values = claimValues(claim);
  return checksumOf(...(claim.door === undefined ? values.slice(0, -1) : values));
}

/** Throws for one that is damaged. One without a checksum was written by an earlier version. */
export function parseClaim(row: Row): Claim {
  const claim = readClaim(row);
  const sum = optionalNumber(row, "checksum");
  if (sum !== undefined && sum !== claimChecksum(claim)) throw new Error("its checksum does not match");
  return claim;
}

function readClaim(row: Row): Claim {
  return {
    id: text(row, "id"),
    deviceId: text(row, "device_id"),
    control: text(row, "control"),
    kind: oneOf(row, "kind", CLAIM_KINDS),
    value: optionalText(row, "value") === "unlimited" ? "unlimited" : (fraction(row, "value") ?? null),
    class: oneOf(row, "class", CLAIM_CLASSES),
    source: text(row, "source"),
    reason: text(row, "reason"),
    leaseUntil: number(row, "lease_until"),
    createdAt: number(row, "created_at"),
    cause: optionalText(row, "cause"),
    door: doorOf(row["door"]),
  };
}

export function parseRecord(row: Row): ControlRecord {
  const claimClass = optionalText(row, "class");
  return {
    at: number(row, "at"),
    control: text(row, "control"),
    value: fraction(row, "value"),
    follow: oneOf(row, "follow", FOLLOWS),
    measured: fraction(row, "measured"),
    class: CLAIM_CLASSES.find((one) => one === claimClass),
    source: optionalText(row, "source"),
    reason: optionalText(row, "reason"),
    cause: optionalText(row, "cause"),
    door: doorOf(row["door"]),
  };
}

/** The records hold whole numbers, so others are texts. */
export const fractionText = (value: number | undefined): string | null => (value === undefined ? null : String(value));

function fraction(row: Row, column: string): number | undefined {
  const stored = optionalText(row, column);
  return stored === undefined || !Number.isFinite(Number(stored)) ? undefined : Number(stored);
}

/** A state that cannot be read owes the fallback: that is the safe side. */
export function parseState(stored: string): ControlState {
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    value = undefined;
  }
  if (!isObject(value)) return { ...NEVER_WRITTEN, isHeld: true };
  const count = (name: string) => (typeof value[name] === "number" ? value[name] : 0);
  const writing = value["writing"];
  return {
    isHeld: value["isHeld"] !== false,
    isPrepared: value["isPrepared"] === true,
    sent: typeof value["sent"] === "number" ? value["sent"] : undefined,
    sentAt: count("sentAt"),
    changedAt: count("changedAt"),
    writing: isObject(writing) ? parseWrite(writing) : undefined,
    failures: count("failures"),
    tries: count("tries"),
    follow: FOLLOWS.find((one) => one === value["follow"]) ?? "unknown",
    misses: count("misses"),
    missedAt: count("missedAt"),
  };
}

function parseWrite(writing: Readonly<Record<string, unknown>>): Write {
  if (typeof writing["value"] !== "number") return { kind: "fallback" };
  return { kind: "value", value: writing["value"], withPrepare: writing["withPrepare"] === true };
}
