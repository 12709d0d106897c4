import { type AccessLevel, allows } from "#core/access/level.ts";
import { type AlertDetails, DETAILS_FIELD, NO_DETAILS, parseAlertDetails } from "#core/alert/alert-details.ts";
import { alertListProblem } from "#core/alert/alert-limits.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import { type Attribute, listsAlerts } from "#service/telemetry/attributes.ts";

/** The caller owns the maps. */
export interface AcceptedTelemetry {
  /** By attribute id; lists as JSON text. */
  readonly accepted: Map<string, number | boolean | string>;
  /** The attributes that list active alerts, with what they list. */
  readonly alerts: ReadonlyMap<Attribute, readonly string[]>;
  readonly details: AlertDetails;
  /** Why a value was dropped, by the name that the device used. */
  readonly refused: Map<string, string>;
}

/**
 * Drops values that are undeclared or do not fit, and keeps the rest. Null is no value. Reasons show no value that
 * `reader` may not read.
 */
export function acceptTelemetry(
  attributes: ReadonlyMap<string, Attribute>,
  values: ReadonlyMap<string, unknown>,
  reader: AccessLevel = "readonly",
): AcceptedTelemetry {
  const accepted = new Map<string, number | boolean | string>();
  const alerts = new Map<Attribute, readonly string[]>();
  const refused = new Map<string, string>();
  let details = NO_DETAILS;
  for (const [name, value] of values) {
    if (value === null) continue;
    const attribute = attributes.get(name);
    // A blueprint may declare an attribute of this name for texts; its objects are the details of alerts all the same.
    if (name === DETAILS_FIELD && (attribute === undefined || typeof value === "object")) {
      const parsed = parseAlertDetails(value);
      details = parsed.details;
      if (parsed.problem !== undefined) refused.set(name, parsed.problem);
      continue;
    }
    const problem = attribute === undefined ? "is not declared in the blueprint" : problemOf(attribute, value, reader);
    if (attribute === undefined || problem !== undefined) refused.set(name, problem ?? "");
    else {
      accepted.set(attribute.id, Array.isArray(value) ? JSON.stringify(value) : (value as number | boolean | string));
      if (listsAlerts(attribute)) alerts.set(attribute, value as readonly string[]);
    }
  }
  return { accepted, alerts, details, refused };
}

function problemOf(attribute: Attribute, value: unknown, reader: AccessLevel): string | undefined {
  const problem = valueProblem(attribute, value, { isShown: allows(reader, attribute.accessLevel) });
  if (problem !== undefined || !listsAlerts(attribute)) return problem;
  return alertListProblem(value as readonly string[]);
}
