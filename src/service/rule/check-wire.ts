import { TELEMETRY_TYPES } from "#core/blueprint/blueprint.ts";
import { DIRECTIONS } from "#core/energy/price-book.ts";
import { Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict } from "#service/operation/wire.ts";

const position = Type.Integer({ minimum: 1 });

export const ruleDiagnosticSchema = described("RuleDiagnostic", "Something that is wrong with the text of a rule.", {
  severity: oneOf(["error", "warning"], { description: "A rule with errors is not stored." }),
  code: Type.String(),
  message: Type.String(),
  path: Type.String({ description: "JSON pointer into a text in YAML; empty in Lua." }),
  line: position,
  column: position,
  end_line: position,
  end_column: position,
});

const number = nullable(Type.Number());
const text = nullable(Type.String());

const namedDeviceSchema = strict("RuleNamesOfDevice", {
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  category: text,
  profiles: Type.Array(Type.String(), { description: "Also those that others include." }),
  attributes: Type.Array(
    strict("RuleNamesAttribute", {
      name: Type.String(),
      display_name: Type.String(),
      type: oneOf(TELEMETRY_TYPES),
      unit: text,
    }),
  ),
  commands: Type.Array(strict("RuleNamesCommand", { name: Type.String(), display_name: Type.String() })),
  controls: Type.Array(
    strict("RuleNamesControl", {
      name: Type.String(),
      display_name: Type.String(),
      unit: text,
      min: { ...number, description: "null: no limit is known." },
      max: number,
    }),
  ),
  alerts: Type.Array(strict("RuleNamesAlert", { id: Type.String(), display_name: Type.String() })),
});

export const ruleNamesAnswer = Type.Object(
  {
    devices: Type.Array(namedDeviceSchema),
    total_count: Type.Integer({ minimum: 0, description: "How many devices there are, on all pages." }),
    variables: Type.Array(
      strict("RuleNamesVariable", {
        name: Type.String(),
        value: Type.Unsafe<string | number | boolean>({
          anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
        }),
      }),
    ),
    calendars: Type.Array(Type.String()),
    prices: Type.Array(oneOf(DIRECTIONS), { description: "What the tariff has prices for; empty without a tariff." }),
  },
  { additionalProperties: false },
);
