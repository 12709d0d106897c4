import { ALERT_LISTS, LUA_HOSTS } from "#core/blueprint/blueprint.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import { renderJsonSchema } from "#core/blueprint/schema.ts";
import { controls } from "./control/control-language.ts";

/** The manifest language with the options of Busbar, as JSON Schema for editors. */
export function renderManifestSchema(): JsonSchema {
  const language = renderJsonSchema();
  const properties = language["properties"] as Readonly<Record<string, JsonSchema>>;
  return {
    ...language,
    properties: { ...properties, commands: withCancel(properties["commands"] ?? {}), ".busbar": EXTENSION },
    patternProperties: OTHER_DOT_KEYS,
  };
}

const OTHER_DOT_KEYS = { "^\\.(?!busbar$)\\w*$": true };

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

/** The schema of `commands`, with what Busbar knows about each of them. */
function withCancel(commands: JsonSchema): JsonSchema {
  const each = (schema: unknown) => {
    const command = schema as JsonSchema;
    const isCommand = command?.["properties"] !== undefined;
    return isCommand
      ? {
          ...command,
          properties: { ...(command["properties"] as JsonSchema), ".busbar": COMMAND_EXTENSION },
          patternProperties: OTHER_DOT_KEYS,
        }
      : schema;
  };
  const patterns = Object.entries(commands["patternProperties"] as JsonSchema);
  return { ...commands, patternProperties: Object.fromEntries(patterns.map(([key, schema]) => [key, each(schema)])) };
}

const COMMAND_EXTENSION: JsonSchema = {
  description: "Options that only Busbar knows. Other programs pass over them.",
  type: "object",
  properties: { cancel: { description: "The command that cancels this one while it runs.", type: "string" } },
};
