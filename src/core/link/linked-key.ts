import type { Micros } from "#core/command/execution.ts";
import { PRICE_KINDS, type PriceKind } from "#core/energy/price-days.ts";
import { INTERLOCK_NAME } from "#core/interlock/interlock.ts";
import { VARIABLE_NAME } from "#core/rule/site-rule.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { FARTHEST } from "./message-fields.ts";

/** Kinds of records of which a cloud has copies, in an order in which each refers only to earlier ones. */
export const LINKED_KINDS = [
  "site",
  "blueprint",
  "device",
  "properties",
  "configuration",
  "controls",
  "interlock",
  "rule_engine",
  "rule",
  "rule_report",
  "variable",
  "tariff",
  "prices",
  "alert",
  "log",
  "control_record",
  "notification",
  "audit",
] as const;
export type LinkedKind = (typeof LINKED_KINDS)[number];

/** Each of these is sent once, and then it need not be remembered. */
export const PASSING_KINDS: readonly LinkedKind[] = ["alert", "log", "control_record", "notification", "audit"];

/** Names a record whose current state has to be sent. */
export interface LinkedKey {
  readonly kind: LinkedKind;
  /** The id of the site, blueprint, device or audit entry; of properties, configuration and controls that of their device, of a tariff and an engine of rules that of its site. */
  readonly key: string;
}

/** What distinguishes an alert from all others. */
export interface AlertName {
  readonly deviceId: string;
  readonly source: string;
  readonly alertId: string;
  readonly raisedAt: Instant;
}

export function alertKey({ deviceId, source, alertId, raisedAt }: AlertName): string {
  return JSON.stringify([deviceId, raisedAt, source, alertId]);
}

/** Undefined for a text that `alertKey` does not make. */
export function parseAlertKey(key: string): AlertName | undefined {
  try {
    const [deviceId, raisedAt, source, alertId]: readonly unknown[] = JSON.parse(key);
    const isName = typeof deviceId === "string" && typeof source === "string" && typeof alertId === "string";
    if (!isName || typeof raisedAt !== "number" || !Number.isInteger(raisedAt)) return undefined;
    if (Math.abs(raisedAt) > FARTHEST) return undefined;
    return { deviceId, source, alertId, raisedAt: instant(raisedAt) };
  } catch {
    return undefined;
  }
}

export interface LogName {
  readonly deviceId: string;
  readonly receivedAt: Micros;
}

export const logKey = ({ deviceId, receivedAt }: LogName): string => `${deviceId} ${receivedAt}`;

export function parseLogKey(key: string): LogName | undefined {
  const [, deviceId, receivedAt] = /^(\S+) (\d{1,16})$/.exec(key) ?? [];
  if (deviceId === undefined || !Number.isSafeInteger(Number(receivedAt))) return undefined;
  return { deviceId, receivedAt: Number(receivedAt) as Micros };
}

/** One entry of what controlled a device. */
export interface ControlRecordName {
  readonly deviceId: string;
  /** Microseconds since 1970. */
  readonly at: number;
}

export const controlRecordKey = ({ deviceId, at }: ControlRecordName): string => `${deviceId} ${at}`;

export function parseControlRecordKey(key: string): ControlRecordName | undefined {
  const name = parseLogKey(key);
  return name && { deviceId: name.deviceId, at: name.receivedAt };
}

/** Prices of one day. */
export interface PricesName {
  readonly siteId: string;
  readonly kind: PriceKind;
  /** Since 1970. */
  readonly day: number;
}

export const pricesKey = ({ siteId, kind, day }: PricesName): string => `${siteId} ${kind} ${day}`;

export function parsePricesKey(key: string): PricesName | undefined {
  const [, siteId, kind, day] = /^(\S+) (\S+) (\d{1,6})$/.exec(key) ?? [];
  const known = PRICE_KINDS.find((one) => one === kind);
  return siteId === undefined || known === undefined ? undefined : { siteId, kind: known, day: Number(day) };
}

/** One interlock of a site. */
export interface InterlockKey {
  readonly siteId: string;
  readonly name: string;
}

export const interlockKey = ({ siteId, name }: InterlockKey): string => `${siteId} ${name}`;

export function parseInterlockKey(key: string): InterlockKey | undefined {
  const [, siteId, name] = /^(\S+) (\S+)$/.exec(key) ?? [];
  return siteId === undefined || name === undefined || !INTERLOCK_NAME.test(name) ? undefined : { siteId, name };
}

/** A rule of a site, what is reported of it, or a notification of a site. */
export interface RuleKey {
  readonly siteId: string;
  readonly id: string;
}

export const ruleKey = ({ siteId, id }: RuleKey): string => `${siteId} ${id}`;

export function parseRuleKey(key: string): RuleKey | undefined {
  const [, siteId, id] = /^(\S+) (\S+)$/.exec(key) ?? [];
  return siteId === undefined || id === undefined ? undefined : { siteId, id };
}

/** A variable of a site. */
export interface VariableKey {
  readonly siteId: string;
  readonly name: string;
}

export const variableKey = ({ siteId, name }: VariableKey): string => `${siteId} ${name}`;

export function parseVariableKey(key: string): VariableKey | undefined {
  const [, siteId, name] = /^(\S+) (\S+)$/.exec(key) ?? [];
  return siteId === undefined || name === undefined || !VARIABLE_NAME.test(name) ? undefined : { siteId, name };
}

/** The site that an interlock, rule, variable, notification, tariff or prices belong to. */
export function siteOfKey({ kind, key }: { readonly kind: string; readonly key: string }): string | undefined {
  if (kind === "tariff" || kind === "rule_engine") return key;
  if (kind === "rule" || kind === "rule_report" || kind === "variable" || kind === "notification")
    return parseRuleKey(key)?.siteId;
  if (kind === "interlock") return parseInterlockKey(key)?.siteId;
  return kind === "prices" ? parsePricesKey(key)?.siteId : undefined;
}

/** The device that the record belongs to. */
export function deviceOfKey({ kind, key }: LinkedKey): string | undefined {
  switch (kind) {
    case "device":
    case "properties":
    case "configuration":
    case "controls":
      return key;
    case "alert":
      return parseAlertKey(key)?.deviceId;
    case "log":
    case "control_record":
      return parseLogKey(key)?.deviceId;
    case "site":
    case "blueprint":
    case "interlock":
    case "rule_engine":
    case "rule":
    case "rule_report":
    case "variable":
    case "tariff":
    case "prices":
    case "notification":
    case "audit":
      return undefined;
  }
}
