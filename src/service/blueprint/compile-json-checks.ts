import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { JsonCheck } from "#core/value/check-inputs.ts";
import { describeFault } from "./compile-json-schema.ts";
import { compileSchemas } from "./compile-schemas.ts";

/** Checks json values against the schemas that a blueprint declares. */
export interface JsonChecks {
  readonly arguments: (command: string) => JsonCheck;
  readonly response: (command: string) => JsonCheck;
  readonly properties: JsonCheck;
}

export function compileJsonChecks(blueprint: Blueprint): JsonChecks {
  const { checks } = compileSchemas(blueprint);
  const at =
    (place: string): JsonCheck =>
    (name, value) => {
      const [fault] = checks.get(`${place}/${name}`)?.(value) ?? [];
      return fault && describeFault(fault);
    };
  return {
    arguments: (command) => at(`commands/${command}/arguments`),
    response: (command) => at(`commands/${command}/response`),
    properties: at("properties"),
  };
}
