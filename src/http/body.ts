// JSON bodies: one schema validates and documents. All problems at once, each with a JSON pointer.
// An optional field that is null or an empty text counts as not given, because common clients send unset fields so.
import { Ajv, type ErrorObject } from "ajv";
import addFormats from "ajv-formats";
import type { Static, TSchema } from "typebox";
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import { nearestOf } from "#core/text/nearest.ts";

const MAX_REFUSALS = 20;
const ajv = new Ajv({
  allErrors: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  verbose: true,
});
addFormats.default(ajv, ["uri", "email", "date-time"]);

export type ParseBody<Schema extends TSchema> = (raw: Uint8Array | undefined) => Static<Schema>;

export function compileBody<Schema extends TSchema>(schema: Schema): ParseBody<Schema> {
  const validate = ajv.compile(schema);
  const optional = optionalFields(schema);
  return (raw) => {
    const given = parseJson(raw);
    const body = isObject(given) ? withoutUnset(given, optional) : given;
    if (validate(body)) return body as Static<Schema>;
    const [first, ...others] = (validate.errors ?? []).slice(0, MAX_REFUSALS).map(refusalOf);
    throw first === undefined ? refuse("invalid_body", "the body does not fit") : new AppError([first, ...others]);
  };
}

function parseJson(raw: Uint8Array | undefined): unknown {
  if (raw === undefined || raw.length === 0)
    throw refuse("invalid_json", "the body must be a JSON object, but is empty");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
  } catch (error) {
    // The parser's own words may quote the body, which may hold a secret: say only where, if it tells.
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw refuse(
      "invalid_json",
      at === undefined ? "the body is not JSON" : `the body is not JSON, from character ${at} on`,
    );
  }
}

function optionalFields(schema: TSchema): ReadonlySet<string> {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: readonly string[] };
  return new Set(Object.keys(properties).filter((name) => !required.includes(name)));
}

function withoutUnset(body: object, optional: ReadonlySet<string>): object {
  const kept: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(body)) {
    if (!(optional.has(name) && (value === null || value === ""))) kept[name] = value;
  }
  return kept;
}

function refusalOf(error: ErrorObject): Refusal {
  const { pointer, message } = explain(error);
  return { code: "invalid_body", message, details: { pointer } };
}

function explain(error: ErrorObject): { readonly pointer: string; readonly message: string } {
  const at = error.instancePath;
  const name = at === "" ? "the body" : at.slice(1).replaceAll("/", ".");
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case "additionalProperties": {
      const field = String(params["additionalProperty"]);
      const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
      const close = nearestOf(field, known);
      const hint = close === undefined ? `known here: ${known.join(", ")}` : `did you mean ${close}?`;
      return { pointer: `${at}/${escapePointer(field)}`, message: `there is no field ${quoted(field)}; ${hint}` };
    }
    case "required": {
      const field = String(params["missingProperty"]);
      return { pointer: `${at}/${escapePointer(field)}`, message: `the field ${field} is missing` };
    }
    case "type":
      return { pointer: at, message: `${name} must be of type ${String(params["type"])}, not ${kindOf(error.data)}` };
    case "enum": {
      const words = (params["allowedValues"] as readonly unknown[]).map(String);
      const close = typeof error.data === "string" ? nearestOf(error.data, words) : undefined;
      const hint = close === undefined ? "" : `; did you mean ${close}?`;
      return { pointer: at, message: `${name} must be one of ${words.join(", ")}${hint}` };
    }
    case "pattern": {
      const rule = (error.parentSchema as { description?: string } | undefined)?.description;
      return { pointer: at, message: `${name} does not fit${rule === undefined ? "" : `: ${rule}`}` };
    }
    default:
      return { pointer: at, message: `${name} ${error.message ?? "does not fit"}` };
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

function escapePointer(field: string): string {
  return field.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1");
}
