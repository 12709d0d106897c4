// JSON bodies: one schema validates and documents. All problems are reported at once, each with a JSON pointer. An
// optional field that is null or an empty text counts as not given, because common clients send unset fields that way.
// If the schema accepts null, null is a value.

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import { jsonExcess } from "#core/text/json-excess.ts";
import { pointerTo, shortPointer } from "#core/text/json-pointer.ts";
import { nearestOf } from "#core/text/nearest.ts";
import type { Schema } from "#service/operation/schema.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** All later code that walks over a body relies on these limits. */
/** Reading 20,000 fields takes about 15 ms of the main thread, in which nobody else is served. */
const LIMITS = { depth: 64, values: 20_000 };
const MAX_REFUSALS = 20;
/** Each problem costs memory, and a large body can hold half a million: beyond this size only the first is reported. */
const MAX_THOROUGH_BYTES = 64 * 1024;
const [quick, thorough] = [false, true].map((allErrors) => {
  const ajv = new Ajv({ allErrors, coerceTypes: false, removeAdditional: false, useDefaults: false, verbose: true });
  addFormats.default(ajv, ["uri", "email", "date-time"]);
  return ajv;
}) as [Ajv, Ajv];

export type ParseBody<Body> = (raw: Uint8Array | undefined) => Body;

export function compileBody<Body>(schema: Schema<Body>): ParseBody<Body> {
  // Compiled on first use: compiling a hundred schemas would slow the start down considerably.
  let fits: ValidateFunction | undefined;
  let findAll: ValidateFunction | undefined;
  return (raw) => {
    const body = withoutUnset(parseJson(raw), schema);
    fits ??= quick.compile(schema);
    if (fits(body)) return body as Body;
    findAll ??= thorough.compile(schema);
    const validate = raw !== undefined && raw.length <= MAX_THOROUGH_BYTES ? findAll : fits;
    validate(body);
    const [first, ...others] = withoutEchoes(validate.errors ?? [])
      .slice(0, MAX_REFUSALS)
      .map(refusalOf);
    throw first === undefined ? refuse("invalid_body", "the body does not fit") : new AppError([first, ...others]);
  };
}

/**
 * What is wrong with a field of a body, if its schema depends on other fields. Its pointers begin with the name of the
 * field. The value comes from a body, so it is within the limits of one.
 */
export function compileField(field: string, schema: Schema): (value: unknown) => readonly Refusal[] {
  let findAll: ValidateFunction | undefined;
  return (value) => {
    findAll ??= thorough.compile({ type: "object", properties: { [field]: schema } });
    if (findAll({ [field]: value })) return [];
    return withoutEchoes(findAll.errors ?? [])
      .slice(0, MAX_REFUSALS)
      .map(refusalOf);
  };
}

function parseJson(raw: Uint8Array | undefined): unknown {
  if (raw === undefined || raw.length === 0)
    throw refuse("invalid_json", "the body must be a JSON object, but is empty");
  let text: string;
  try {
    text = utf8.decode(raw);
  } catch {
    throw refuse("invalid_json", "the body is not UTF-8 text");
  }
  const excess = jsonExcess(text, LIMITS);
  if (excess !== undefined) throw refuse("invalid_json", `the body is ${excess}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own message may quote the body, which may hold a secret, so only the place is reported.
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw refuse(
      "invalid_json",
      at === undefined ? "the body is not JSON" : `the body is not JSON, from character ${at} on`,
    );
  }
}

/** Returns the value itself if nothing in it is unset, which is the usual case. */
function withoutUnset(value: unknown, schema: Schema): unknown {
  return hasUnset(value, schema) ? copyWithoutUnset(value, schema) : value;
}

function hasUnset(value: unknown, { properties, required = [], items }: Schema): boolean {
  if (items?.properties !== undefined && Array.isArray(value)) return value.some((one) => hasUnset(one, items));
  if (properties === undefined || !isObject(value)) return false;
  for (const name of Object.keys(value)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined) continue;
    const given = (value as Readonly<Record<string, unknown>>)[name];
    const isEmpty = given === null || given === "";
    if (isEmpty ? isUnset(given, field, required.includes(name)) : hasUnset(given, field)) return true;
  }
  return false;
}

function copyWithoutUnset(value: unknown, { properties, required = [], items }: Schema): unknown {
  if (items?.properties !== undefined && Array.isArray(value)) return value.map((one) => copyWithoutUnset(one, items));
  if (properties === undefined || !isObject(value)) return value;
  const kept: Record<string, unknown> = Object.create(null);
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined) kept[name] = given;
    else if (!isUnset(given, field, required.includes(name))) kept[name] = copyWithoutUnset(given, field);
  }
  return kept;
}

function isUnset(given: unknown, field: Schema, isRequired: boolean): boolean {
  return !isRequired && (given === "" || (given === null && !takesNull(field)));
}

function takesNull(field: Schema): boolean {
  return field.anyOf?.some((one) => one["type"] === "null") === true;
}

/**
 * A value that fits none of several shapes causes an error for each shape and one for the choice itself. This keeps the
 * errors of the shapes with the value's type. If no shape has that type, it keeps only the error of the choice.
 */
function withoutEchoes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  // A schema has few choices, however many values fail them.
  const choices = new Set(errors.flatMap(({ keyword, schemaPath }) => (keyword === "anyOf" ? [schemaPath] : [])));
  if (choices.size === 0) return errors;
  const isOf = (choice: string, { schemaPath }: ErrorObject) => schemaPath.startsWith(`${choice}/`);
  const explained = new Set(
    [...choices].filter((choice) => errors.some((error) => error.keyword !== "type" && isOf(choice, error))),
  );
  return errors.filter((error) => {
    if (error.keyword === "anyOf") return !explained.has(error.schemaPath);
    return error.keyword !== "type" || ![...choices].some((choice) => isOf(choice, error));
  });
}

function refusalOf(error: ErrorObject): Refusal {
  const { pointer, message } = explain(error);
  return { code: "invalid_body", message, details: { pointer } };
}

function explain(error: ErrorObject): { readonly pointer: string; readonly message: string } {
  // If the client chose the keys, the path contains them.
  const at = shortPointer(error.instancePath);
  const name = at === "" ? "the body" : at.slice(1).replaceAll("/", ".");
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case "additionalProperties": {
      const field = String(params["additionalProperty"]);
      const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
      const close = nearestOf(field, known);
      const hint = close === undefined ? `known here: ${known.join(", ")}` : `did you mean ${close}?`;
      return { pointer: pointerTo(at, field), message: `there is no field ${quoted(field)}; ${hint}` };
    }
    case "required": {
      const field = String(params["missingProperty"]);
      return { pointer: pointerTo(at, field), message: `the field ${field} is missing` };
    }
    case "type":
      return { pointer: at, message: `${name} must be of type ${String(params["type"])}, not ${kindOf(error.data)}` };
    case "enum": {
      const words = (params["allowedValues"] as readonly unknown[]).map(String);
      const close = typeof error.data === "string" ? nearestOf(error.data, words) : undefined;
      const hint = close === undefined ? "" : `; did you mean ${close}?`;
      return { pointer: at, message: `${name} must be one of ${words.join(", ")}${hint}` };
    }
    case "anyOf":
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
