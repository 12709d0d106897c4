import type { Blueprint, Command } from "#core/blueprint/blueprint.ts";

/** A first script that does nothing wrong: it sends a status and has a handler for every command. */
export function draftScript(blueprint: Blueprint): string {
  const values = [...statusOf(blueprint), "alerts = {}"];
  return [
    "-- Called once when the device starts.",
    "function device.main()",
    "  scheduler.add(1000, send_telemetry)",
    ...[...blueprint.commands.keys()].map((id) => `  device.register_command_handler('${id}', ${id})`),
    "end",
    "",
    "function send_telemetry()",
    "  -- Read the device here and send what the manifest declares.",
    `  device.send_telemetry({ ${values.join(", ")} })`,
    "end",
    ...[...blueprint.commands.values()].flatMap(handlerLines),
    "",
  ].join("\n");
}

function statusOf({ telemetry }: Blueprint): readonly string[] {
  const status = telemetry.get("status");
  const value = status?.enum?.[0]?.value ?? "ok";
  return status?.type === "string" ? [`status = '${value}'`] : [];
}

function handlerLines({ id, displayName, arguments: declared }: Command): readonly string[] {
  const names = [...declared.keys()].map((name) => `args.${name}`);
  return [
    "",
    `-- ${displayName}${names.length === 0 ? "" : `: ${names.join(", ")}`}`,
    `function ${id}(ctx, args)`,
    "  -- Send it to the device, and return what the manifest declares as response.",
    "  ctx.error('not written yet')",
    "end",
  ];
}

/** A first scenario, which the first script passes. */
export function draftScenario(blueprint: Blueprint, schema: string): string {
  const status = blueprint.telemetry.get("status");
  const value = status?.type === "string" ? (status.enum?.[0]?.value ?? "ok") : undefined;
  const [command] = blueprint.commands.values();
  const needed = [...(command?.arguments.values() ?? [])].some((argument) => argument.required);
  return [
    `# yaml-language-server: $schema=${schema}`,
    "# Run it with busbar blueprint test. Peers are what the script talks to, for example",
    "#   peers:",
    "#     meter: {modbus: tcp://10.0.0.5:502, holdings: {100: {float32: 230.1}}}",
    "name: sends its telemetry every second",
    "steps:",
    "  - wait: 3s",
    "    expect:",
    ...(value === undefined ? ["      alerts: none"] : [`      telemetry: {status: ${value}}`]),
    ...(command === undefined || needed ? [] : [`  - command: ${command.id}`, "    expect: {error: not written yet}"]),
    "",
  ].join("\n");
}
