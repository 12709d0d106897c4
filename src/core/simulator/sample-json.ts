// A JSON value that fits a schema, as far as the schema uses simple keywords: types, required and listed properties,
// items, enum, const, default, bounds. Other keywords may be missed.
import type { JsonValue } from "#core/blueprint/blueprint.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Deeper than this nothing optional is made, so that a schema that names itself comes to an end. */
const DEEP = 6;
/** Deeper than this nothing is made at all. */
const TOO_DEEP = 24;
const MOST_ITEMS = 32;

/** `undefined` text: nothing is known of the schema, an empty object is as good as anything. */
export function sampleJson(text: string | undefined): JsonValue {
  if (text === undefined) return {};
  try {
    const root: unknown = JSON.parse(text);
    return isSchema(root) ? sample({ root, depth: 0 }, root) : {};
  } catch {
    // A schema that is no JSON was refused at the upload; a bare manifest may still name one.
    return {};
  }
}

interface Place {
  readonly root: Schema;
  readonly depth: number;
}

function sample(place: Place, given: Schema): JsonValue {
  const schema = resolve(place.root, given);
  if (place.depth > TOO_DEEP) return null;
  for (const key of ["const", "default"] as const) if (Object.hasOwn(schema, key)) return schema[key] as JsonValue;
  const [listed] = [listOf(schema["enum"]), listOf(schema["examples"])].filter((list) => list.length > 0);
  if (listed !== undefined) return listed[0] as JsonValue;
  const alternatives = [...listOf(schema["oneOf"]), ...listOf(schema["anyOf"])].filter(isSchema);
  if (alternatives[0] !== undefined) return sample(deeper(place), { ...schema, ...NO_CHOICE, ...alternatives[0] });
  const all = listOf(schema["allOf"]).filter(isSchema);
  if (all.length > 0) return sample(deeper(place), merge(place.root, schema, all));
  switch (typeOf(schema)) {
    case "object":
      return sampleObject(place, schema);
    case "array":
      return sampleArray(place, schema);
    case "integer":
      return Math.ceil(sampleNumber(schema));
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return sampleString(schema);
  }
}

const NO_CHOICE = { oneOf: [], anyOf: [], allOf: [] };

function merge(root: Schema, schema: Schema, parts: readonly Schema[]): Schema {
  let merged: Schema = { ...schema, ...NO_CHOICE };
  for (const given of parts) {
    const part = resolve(root, given);
    merged = {
      ...merged,
      ...part,
      properties: { ...objectOf(merged["properties"]), ...objectOf(part["properties"]) },
      required: [...listOf(merged["required"]), ...listOf(part["required"])],
    };
  }
  return merged;
}

function sampleObject(place: Place, schema: Schema): JsonValue {
  const properties = objectOf(schema["properties"]);
  const required = listOf(schema["required"]).filter((name) => typeof name === "string");
  const names = new Set(place.depth < DEEP ? [...required, ...Object.keys(properties)] : required);
  const made: Record<string, JsonValue> = Object.create(null);
  for (const name of names) {
    const known = Object.hasOwn(properties, name) ? properties[name] : schema["additionalProperties"];
    if (known !== false) made[name] = sample(deeper(place), isSchema(known) ? known : {});
  }
  return made;
}

function sampleArray(place: Place, schema: Schema): JsonValue {
  const first = listOf(schema["prefixItems"]).filter(isSchema);
  const least = Math.max(numberOf(schema["minItems"]) ?? (place.depth < DEEP ? 1 : 0), 0);
  const most = numberOf(schema["maxItems"]) ?? MOST_ITEMS;
  const count = Math.min(Math.max(least, first.length), most, MOST_ITEMS);
  return Array.from({ length: count }, (_, at) => sample(deeper(place), first[at] ?? objectOf(schema["items"])));
}

function sampleNumber(schema: Schema): number {
  const step = numberOf(schema["multipleOf"]) ?? 0;
  const above = numberOf(schema["exclusiveMinimum"]);
  const below = numberOf(schema["exclusiveMaximum"]);
  const least = numberOf(schema["minimum"]) ?? (above === undefined ? undefined : above + (step || 1));
  const most = numberOf(schema["maximum"]) ?? (below === undefined ? undefined : below - (step || 1));
  // Between two open bounds that lie close together only the middle is safe.
  if (above !== undefined && below !== undefined && below - above <= 2) return (above + below) / 2;
  const wanted = least ?? Math.min(most ?? 1, 1);
  return step > 0 ? Math.ceil(wanted / step) * step : wanted;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  time: "08:00:00Z",
  "date-time": "2026-01-01T08:00:00Z",
  duration: "PT1H",
  email: "name@example.com",
  hostname: "device.example.com",
  ipv4: "192.0.2.7",
  ipv6: "2001:db8::7",
  uri: "https://example.com/",
  uuid: "01a1dd27-6bc6-7b2a-9407-e0dac5905e24",
};

/** Texts that common patterns take, the first that fits is used. */
const TEXTS = ["text", "TEXT", "text-1", "08:00", "2026-01-01", "1", "001", "A1", "a", "SIM-0001", "1.0.0"];

function sampleString(schema: Schema): string {
  const format = schema["format"];
  if (typeof format === "string" && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? "";
  const pattern = schema["pattern"];
  const least = numberOf(schema["minLength"]) ?? 0;
  const text = typeof pattern === "string" ? (TEXTS.find((one) => fits(pattern, one)) ?? "text") : "text";
  return text.padEnd(Math.min(least, 10_000), "x").slice(0, numberOf(schema["maxLength"]) ?? undefined);
}

/**
 * Only plain patterns are tried, because this runs on the main thread and others could take for ever: no group is repeated,
 * and the few repetitions and choices that are left make some thousand combinations over a text of ten characters.
 */
function fits(pattern: string, text: string): boolean {
  const [repetitions, choices] = [/[+*?{]/g, /\|/g].map((mark) => pattern.match(mark)?.length ?? 0);
  if (pattern.length > 200 || /\)[+*?{]/.test(pattern) || Number(repetitions) > 4 || Number(choices) > 4) return false;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((one) => one !== "null") ?? type[0];
  if (type !== undefined) return type;
  if (["properties", "required", "additionalProperties"].some((key) => key in schema)) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  return "minimum" in schema || "maximum" in schema ? "number" : "string";
}

/** Follows references inside the schema, a few in a row. */
function resolve(root: Schema, schema: Schema): Schema {
  let found = schema;
  for (let hops = 0; hops < 8 && typeof found["$ref"] === "string"; hops++) {
    let target: unknown = root;
    for (const part of found["$ref"].split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      target = isSchema(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    }
    found = isSchema(target) ? target : {};
  }
  return found;
}

const deeper = ({ root, depth }: Place): Place => ({ root, depth: depth + 1 });

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const objectOf = (value: unknown): Schema => (isSchema(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
