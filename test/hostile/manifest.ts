// Blueprints of the neighbours: a plain one for the honest, and one with every handle that an abuser could pull.
import { packPackage } from "#service/blueprint/pack-package.ts";

const BODY = `telemetry:
  counter: {type: integer, display_name: Counter}
  power: {type: float, display_name: Power}
  text: {type: string, display_name: Text}
  alerts: {type: alerts, display_name: Alerts}
command_groups:
  main: {display_name: Main}
`;

const ECHO = `commands:
  echo:
    group: main
    display_name: Echo
    access_level: user
    arguments:
      number: {display_name: Number, type: integer}
`;

export const HONEST_MANIFEST = `blueprint_spec: device/3.0
display_name: Honest
runtime: {type: embedded}
${BODY}${ECHO}`;

const HONEST_SCRIPT = `local n = 0
scheduler.add(200, function() n = n + 1 enapter.send_telemetry({ counter = n }) end)
enapter.register_command_handler("echo", function(_, args) return { number = args.number } end)
`;

/** A device with the honest commands that a script runs. */
export const honestLuaPackage = (): Uint8Array => luaPackage(HONEST_SCRIPT);

export function luaPackage(script: string): Uint8Array {
  const manifest = HONEST_MANIFEST.replace("{type: embedded}", "{type: lua, options: {file: main.lua}}");
  return packPackage(
    new Map([
      ["manifest.yml", Buffer.from(manifest)],
      ["main.lua", Buffer.from(script)],
    ]),
  );
}

/** A device without a script, whose registers this map names. */
export function mapPackage(map: string): Uint8Array {
  const manifest = HONEST_MANIFEST.replace("{type: embedded}", "{type: lua}\n.busbar: {modbus: modbus.yml}");
  return packPackage(
    new Map([
      ["manifest.yml", Buffer.from(manifest)],
      ["modbus.yml", Buffer.from(map)],
    ]),
  );
}

const DECLARED_ARGUMENTS = 300;

export function hostileManifest(): string {
  const wide = Array.from(
    { length: DECLARED_ARGUMENTS },
    (_, n) => `      argument_${n}: {display_name: A, type: string}`,
  );
  return `blueprint_spec: device/3.0
display_name: Hostile
runtime: {type: embedded}
${BODY}${ECHO}  free:
    group: main
    display_name: Free
    arguments:
      value: {display_name: Value, type: json}
      text: {display_name: Text, type: string}
  wide:
    group: main
    display_name: Wide
    arguments:
${wide.join("\n")}
  pattern:
    group: main
    display_name: Pattern
    arguments:
      value:
        display_name: Value
        type: json
        json_schema: '{"type": "string", "pattern": "^(a+)+$"}'
properties:
  model: {type: string, display_name: Model}
  detail: {type: json, display_name: Detail}
configuration:
  limits:
    display_name: Limits
    access_level: user
    parameters:
      value: {display_name: Value, type: json}
      text: {display_name: Text, type: string}
`;
}
