// The fields of a form, as a manifest declares them. Commands, configuration and previews of both use the same ones.
import { VALUE_TYPES, type ValueType } from "#core/blueprint/blueprint.ts";
import type { DeclaredInput } from "#core/value/check-inputs.ts";
import { formatExample } from "#core/value/string-format.ts";
import type { EnumValue, Input } from "#web/data/manifest.ts";
import { unitSymbol } from "#web/data/show-value.ts";

/** How a field is filled in. */
type Control =
  | "text"
  | "secret"
  | "number"
  | "yes or no"
  /** One of few. */
  | "choice"
  /** Some of few. */
  | "choices"
  /** Texts that nobody foresees. */
  | "list"
  | "json";

/** A field of a form. The check of the service takes it as it is. */
export type FormField = DeclaredInput & {
  readonly id: string;
  readonly label: string;
  readonly description: string | undefined;
  /** As people write it. */
  readonly unit: string | undefined;
  readonly control: Control;
  readonly choices: readonly EnumValue[];
  /** Its text. */
  readonly jsonSchema: string | undefined;
  /** What the browser calls the input: it offers a calendar, or a keyboard with an @. */
  readonly inputType: "text" | "date" | "time" | "email" | "url";
  /** A text that fits the format. */
  readonly example: string | undefined;
};

/** In the order of the manifest. */
export function formFields(
  inputs: ReadonlyMap<string, Input>,
  units: ReadonlyMap<string, string> = new Map(),
): readonly FormField[] {
  return [...inputs.values()].map((input) => formField(input, units));
}

function formField(input: Input, units: ReadonlyMap<string, string>): FormField {
  const type = VALUE_TYPES.find((known) => known === input.type) ?? "string";
  return {
    id: input.id,
    label: input.displayName,
    description: input.description,
    unit: unitSymbol(input.unit, units),
    type,
    required: input.required,
    default: input.default ?? undefined,
    min: input.min,
    max: input.max,
    format: input.format,
    sensitive: input.sensitive,
    enum: input.enum?.map((one) => ({ ...one, color: undefined })),
    choices: input.enum ?? [],
    control: controlOf(type, input),
    jsonSchema: input.jsonSchema,
    inputType: type === "string" ? inputTypeOf(input.format) : "text",
    example: type === "string" ? formatExample(input.format) : undefined,
  };
}

function controlOf(type: ValueType, { enum: choices, sensitive }: Input): Control {
  if (choices !== undefined) return type === "array_of_strings" ? "choices" : "choice";
  switch (type) {
    case "boolean":
      return "yes or no";
    case "integer":
    case "float":
      return sensitive ? "secret" : "number";
    case "array_of_strings":
      return "list";
    case "json":
      return "json";
    case "string":
      return sensitive ? "secret" : "text";
  }
}

function inputTypeOf(format: string | undefined): FormField["inputType"] {
  return format === "date" || format === "time" || format === "email" || format === "url" ? format : "text";
}
