// What a device says about its alerts beside their ids: `alert_details`, an object with a text or an object per alert id.
import type { JsonValue } from "#core/blueprint/blueprint.ts";
import { MAX_ALERT_ID_LENGTH, MAX_DETAILS_LENGTH, MAX_SOURCE_DETAILS_LENGTH } from "./alert-limits.ts";

/** The field of a message that has the details. */
export const DETAILS_FIELD = "alert_details";

/** JSON text by alert id; undefined takes the details away. */
export type AlertDetails = ReadonlyMap<string, string | undefined>;

export const NO_DETAILS: AlertDetails = new Map();

interface ParsedDetails {
  readonly details: AlertDetails;
  /** What was left out, and why; undefined when nothing was. */
  readonly problem: string | undefined;
}

export function parseAlertDetails(value: unknown): ParsedDetails {
  if (isEmptyList(value)) return { details: NO_DETAILS, problem: undefined };
  if (!isObject(value))
    return { details: NO_DETAILS, problem: "must be an object with a text or an object per alert id" };
  const details = new Map<string, string | undefined>();
  let problem: string | undefined;
  for (const [alertId, given] of Object.entries(value)) {
    const one = isEmptyList(given) ? {} : given;
    if (alertId === "" || alertId.length > MAX_ALERT_ID_LENGTH) {
      problem ??= `must have alert ids of 1 to ${MAX_ALERT_ID_LENGTH} characters as keys`;
    } else if (one === null) details.set(alertId, undefined);
    else if (typeof one !== "string" && !isObject(one)) {
      problem ??= `must have a text or an object for ${JSON.stringify(alertId)}`;
    } else {
      const text = JSON.stringify(one);
      if (text.length <= MAX_DETAILS_LENGTH) details.set(alertId, text);
      else problem ??= `must have at most ${MAX_DETAILS_LENGTH} characters of JSON for ${JSON.stringify(alertId)}`;
    }
  }
  return { details, problem };
}

/** As they are shown. Only what `parseAlertDetails` wrote is read. */
export function renderAlertDetails(text: string): string | { [name: string]: JsonValue } {
  return JSON.parse(text) as string | { [name: string]: JsonValue };
}

/** How many characters the details of one source may still have. */
export interface DetailsRoom {
  left: number;
}

export function roomForDetails(alerts: Iterable<{ readonly details: string | undefined }>): DetailsRoom {
  let left = MAX_SOURCE_DETAILS_LENGTH;
  for (const { details } of alerts) left -= details?.length ?? 0;
  return { left };
}

/** The same alert when nothing is new. Details stay until others come; what finds no room is left out. */
export function withDetailsOf<A extends { readonly alertId: string; readonly details: string | undefined }>(
  alert: A,
  details: AlertDetails,
  room: DetailsRoom | undefined,
): A {
  if (room === undefined || !details.has(alert.alertId)) return alert;
  const next = details.get(alert.alertId);
  const growth = (next?.length ?? 0) - (alert.details?.length ?? 0);
  if (next === alert.details || growth > room.left) return alert;
  room.left -= growth;
  return { ...alert, details: next };
}

/** A script's empty table has no shape of its own and arrives as a list. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
