// Interlocks in a scenario, written as those of a site. The device that they name is the one that is tested, whatever its name.
import type { IssueCode } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import {
  devicesIn,
  INTERLOCK_KINDS,
  INTERLOCK_NAME,
  type Interlock,
  MOST_INTERLOCKS,
} from "#core/interlock/interlock.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { type Resolved, resolveInterlock } from "#core/interlock/resolve-interlock.ts";
import type { Problem, ProblemCode } from "#core/text/document-reader.ts";
import * as r from "#manifest/reader.ts";
import { follow, type Trail } from "#manifest/tree.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import type { ScenarioContext } from "./scenario-context.ts";

export interface ScenarioInterlock {
  readonly interlock: Interlock;
  readonly resolved: Resolved;
}

/** A scenario has one device. */
export const TESTED_DEVICE = "device";

const SCHEMA: JsonSchema = { type: "object", required: ["kind"], properties: { kind: { enum: INTERLOCK_KINDS } } };

const document = r.reader<ScenarioInterlock>(SCHEMA, (context: ScenarioContext, trail) => {
  const { interlock, problems } = parseInterlock(r.anything.read(context, trail));
  if (interlock === undefined) return report(context, trail, problems);
  const names = devicesIn(interlock);
  if (names.length > 1) {
    const message = `In a scenario there is only the device that is tested, and this interlock names ${names.join(" and ")}.`;
    return context.reporter.atKey(trail, { code: "unknown_value", message });
  }
  const { blueprint, controls } = context;
  const found = resolveInterlock(interlock, {
    device: () => ({ id: TESTED_DEVICE, attributes: blueprint.telemetry, controls }),
    conversion: conversionOf,
  });
  return found.problems.length > 0 ? report(context, trail, found.problems) : { interlock, resolved: found.resolved };
});

const CODES: Readonly<Partial<Record<ProblemCode, IssueCode>>> = {
  unknown_field: "unknown_key",
  unknown_attribute: "unknown_value",
  unknown_control: "unknown_value",
  unknown_circuit: "unknown_value",
  does_not_go_together: "conflicting_keys",
};

/** Each at its place, or at the nearest one that is there. */
function report({ reporter }: ScenarioContext, trail: Trail, problems: readonly Problem[]): undefined {
  for (const { code, pointer, message } of problems) {
    const keys = pointer
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const place = follow(
      trail,
      keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key)),
    );
    const found = { code: CODES[code] ?? "wrong_type", message: `${keys.join(".") || "The interlock"} ${message}.` };
    if (code === "unknown_field") reporter.atKey(place, found);
    else reporter.atValue(place, found);
  }
  return undefined;
}

const name = r.keyOf("name of an interlock", "It has 1 to 60 of the letters a to z, digits, _ and -.", (key) =>
  INTERLOCK_NAME.test(key) ? key : undefined,
);

const all = r.record(name, document);

/** By name. */
export const interlocks = r.reader<ReadonlyMap<string, ScenarioInterlock>>(all.schema, (context, trail) => {
  if (trail.node.kind === "map" && trail.node.entries.size > MOST_INTERLOCKS)
    return r.wrong(context, trail, `${MOST_INTERLOCKS} interlocks at most`);
  return all.read(context, trail);
});
