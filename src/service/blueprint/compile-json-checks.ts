import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { JsonCheck } from "#core/value/check-inputs.ts";
import { compileSchemas } from "./compile-schemas.ts";

/** Checks of json values by the schemas that a blueprint declares. */
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
      return fault === undefined ? undefined : `does not fit its schema: ${fault.pointer || "it"} ${fault.message}`;
    };
  return {
    arguments: (command) => at(`commands/${command}/arguments`),
    response: (command) => at(`commands/${command}/response`),
    properties: at("properties"),
  };
}
