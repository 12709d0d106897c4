import { MOST_PARAMETERS } from "#core/rule/controllers/check-parameters.ts";
import { type Controller, PARAMETER_KINDS, type Parameter } from "#core/rule/controllers/controller.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict } from "#service/operation/wire.ts";

const value = Type.Unsafe<string | number | boolean>({
  anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
});

const parameterSchema = described("ControllerParameter", "A parameter of a controller.", {
  name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  kind: oneOf(PARAMETER_KINDS),
  of: nullable(
    Type.String({
      description: "For an attribute, a control or a command: the parameter that names its device.",
    }),
  ),
  unit: nullable(Type.String()),
  min: nullable(Type.Number()),
  max: nullable(Type.Number()),
  default: nullable(value),
  required: Type.Boolean(),
  choices: nullable(Type.Array(Type.String())),
  suggests: nullable(
    described("ControllerSuggestion", "Devices that fit.", {
      profiles: Type.Array(Type.String(), { description: "Better than by category; the first one fits best." }),
      categories: Type.Array(Type.String()),
    }),
  ),
});

export const controllerSchema = described("Controller", "A rule that people set up by parameters.", {
  id: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  icon: Type.String({ description: "Key of an icon." }),
  language: oneOf(["yaml", "lua"], { description: "Of the rule that it makes." }),
  parameters: Type.Array(parameterSchema),
});

export const renderRequestSchema = strict("ControllerRender", {
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Of the rule. Default: by its name." })),
  parameters: Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
    type: "object",
    maxProperties: MOST_PARAMETERS,
    propertyNames: { maxLength: 64 },
    additionalProperties: {
      anyOf: [{ type: "string", maxLength: 1_000 }, { type: "number" }, { type: "boolean" }, { type: "null" }],
    },
    description: "By name. What is null or empty counts as not given.",
  }),
});

export const renderedSchema = described("RenderedController", "The rule that a controller makes.", {
  script: nullable(Type.String({ description: "The text of the rule; null while a parameter is wrong." })),
  slug: Type.String({ description: "The one that was given, or a free one." }),
  diagnostics: Type.Array(
    described("ControllerDiagnostic", "What is wrong with a parameter.", {
      pointer: Type.String({
        description: "JSON pointer into the request; empty for what no parameter is the cause of.",
      }),
      message: Type.String(),
    }),
  ),
});

export function renderController(controller: Controller): Static<typeof controllerSchema> {
  const { id, displayName, description, icon, parameters } = controller;
  return {
    id,
    display_name: displayName,
    description,
    icon,
    language: "yaml",
    parameters: parameters.map(renderParameter),
  };
}

function renderParameter(given: Parameter): Static<typeof parameterSchema> {
  const { name, displayName, description, kind, of, unit, min, max, required, choices, suggests } = given;
  return {
    name,
    display_name: displayName,
    description,
    kind,
    of: of ?? null,
    unit: unit ?? null,
    min: min ?? null,
    max: max ?? null,
    default: given.default ?? null,
    required: required === true,
    choices: choices === undefined ? null : [...choices],
    suggests:
      suggests === undefined ? null : { profiles: [...suggests.profiles], categories: [...suggests.categories] },
  };
}
