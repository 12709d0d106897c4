import type { Blueprint, JsonSchemaSource } from "#core/blueprint/blueprint.ts";
import { type CheckJson, compileJsonSchemas } from "./compile-json-schema.ts";

export type CompiledSchemas = {
  /** By place: `properties/<id>`, `commands/<id>/arguments/<name>`, `commands/<id>/response/<name>`. */
  readonly checks: ReadonlyMap<string, CheckJson>;
  readonly problems: readonly SchemaProblem[];
};

type SchemaProblem = {
  /** Manifest keys that lead to the `json_schema`. */
  readonly at: readonly string[];
  readonly message: string;
};

/**
 * Compiles every JSON schema of a blueprint. This happens once per version of a blueprint; equal schemas are compiled
 * once.
 */
export function compileSchemas(blueprint: Blueprint): CompiledSchemas {
  // A bare manifest that names a schema file has no schema to check with.
  const placed = [...sourcesOf(blueprint)].filter(({ source }) => source.text !== undefined);
  const texts = [...new Set(placed.map(({ source }) => source.text ?? ""))];
  const compiled = compileJsonSchemas(texts);
  const byText = new Map(texts.map((text, index) => [text, compiled[index]]));
  const checks = new Map<string, CheckJson>();
  const problems: SchemaProblem[] = [];
  for (const { place, source } of placed) {
    const found = byText.get(source.text ?? "");
    if (found === undefined) continue;
    if ("check" in found) checks.set(place.join("/"), found.check);
    else {
      const what =
        source.file === undefined ? "json_schema is no usable schema" : `${source.file} holds no usable schema`;
      problems.push({ at: [...place, "json_schema"], message: `${what}: ${found.problem}.` });
    }
  }
  return { checks, problems };
}

type Placed = { readonly place: readonly string[]; readonly source: JsonSchemaSource };

function* sourcesOf(blueprint: Blueprint): Iterable<Placed> {
  for (const [id, { jsonSchema }] of blueprint.properties) {
    if (jsonSchema !== undefined) yield { place: ["properties", id], source: jsonSchema };
  }
  for (const [id, command] of blueprint.commands) {
    for (const section of ["arguments", "response"] as const) {
      for (const [name, { jsonSchema }] of command[section]) {
        if (jsonSchema !== undefined) yield { place: ["commands", id, section, name], source: jsonSchema };
      }
    }
  }
}
