import type { JsonSchema } from "#core/blueprint/json-schema.ts";

/** Shorter parts are written out where they stand. */
const WORTH_SHARING = 160;

/** The same schema with what occurs more than once in `$defs`, so that the file stays small. */
export function shareParts(schema: JsonSchema): JsonSchema {
  const counts = new Map<string, number>();
  count(schema, counts);
  const names = new Map<string, string>();
  const definitions: Record<string, unknown> = {};

  function render(value: unknown, isTop: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => render(item, false));
    if (!isObject(value)) return value;
    const { description, ...rest } = value;
    const key = keyOf(rest);
    if (isTop || key === undefined || (counts.get(key) ?? 0) < 2) return renderFields(value);
    let name = names.get(key);
    if (name === undefined) {
      name = `part${names.size + 1}`;
      names.set(key, name);
      definitions[name] = renderFields(rest);
    }
    return { ...(description === undefined ? {} : { description }), $ref: `#/$defs/${name}` };
  }

  function renderFields(value: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, render(inner, false)]));
  }

  const top = render(schema, true);
  return { ...(isObject(top) ? top : {}), $defs: definitions };
}

function count(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) for (const item of value) count(item, counts);
  if (!isObject(value)) return;
  const { description, ...rest } = value;
  const key = keyOf(rest);
  if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  // Inside a part that was seen before there is nothing new.
  if (key === undefined || counts.get(key) === 1) for (const inner of Object.values(value)) count(inner, counts);
}

/** Only whole schemas are shared, never the object that holds the properties of one. */
function keyOf(value: JsonSchema): string | undefined {
  if (!("type" in value) && !("anyOf" in value)) return undefined;
  if (typeof value["type"] === "object" && !Array.isArray(value["type"])) return undefined;
  const text = JSON.stringify(value);
  return text.length < WORTH_SHARING ? undefined : text;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
