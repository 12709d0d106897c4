import { ALERT_LISTS, LUA_HOSTS } from "#core/blueprint/blueprint.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import { renderJsonSchema } from "#core/blueprint/schema.ts";
import { controls } from "./control/control-language.ts";

/** The manifest language with the options of Busbar, as JSON Schema for editors. */
export function renderManifestSchema(): JsonSchema {
  const language = renderJsonSchema();
  return {
    ...language,
    properties: { ...(language["properties"] as JsonSchema), ".busbar": EXTENSION },
    patternProperties: { "^\\.(?!busbar$)\\w*$": true },
  };
}

const EXTENSION: JsonSchema = {
  description: "Options that only Busbar knows. Other programs pass over them.",
  type: "object",
  properties: {
    alerts: { description: "Whether the device repeats its lists of alerts.", enum: ALERT_LISTS },
    lua_host: { description: "The host that its Lua was written for.", enum: LUA_HOSTS },
    modbus: { description: "The file with its map of Modbus registers.", type: "string" },
    controls: { description: "Quantities that can be controlled.", ...controls.schema },
  },
};
