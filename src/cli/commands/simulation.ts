import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples, collect } from "#cli/client-command.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { parseTime, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer } from "#cli/print.ts";
import { readDeviceBlueprint } from "#cli/read-device-blueprint.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { parseHeld } from "#cli/simulator/parse-held.ts";
import { renderRecord, renderTable } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { JsonObject, Simulation, SimulationChange } from "#client/resources.ts";
import type { Blueprint, Property, TelemetryAttribute } from "#core/blueprint/blueprint.ts";
import { instant, renderInstant } from "#core/time/instant.ts";

type SimulationFlags = ClientFlags & {
  readonly set?: readonly string[];
  readonly release?: readonly string[];
  readonly raise?: readonly string[];
  readonly clear?: readonly string[];
  readonly nextCommand?: "fail" | "slow" | "silent" | "usual";
  readonly command?: string;
  readonly times?: string;
  readonly message?: string;
  readonly delay?: string;
  readonly progress: boolean;
  readonly pause?: true;
  readonly resume?: true;
  readonly speed?: string;
  readonly at?: string;
  readonly interval?: string;
  readonly seed?: string;
  readonly reset?: true;
};

const append = (word: string, before: readonly string[] = []) => [...before, word];

export function addSimulationCommand(command: Command, cli: Cli): void {
  const next = (flags: string, about: string) => new Option(flags, about).helpGroup("Next command:");
  addConnectionOptions(
    addOutputOption(command)
      .argument("<device>", "a simulated device, by id or slug; without an option it is shown")
      .option("--set <name=value>", "hold a telemetry attribute or a property at a value; may be repeated", append)
      .option("--raise <alerts>", "raise alerts and keep them raised", collect)
      .option("--clear <alerts>", "clear alerts and keep them cleared", collect)
      .option("--release <names>", "give values and alerts back to the simulation", collect)
      .option("--reset", "give everything back, and forget what commands have set")
      .option("--pause", "as if unplugged: it sends nothing and takes no commands")
      .option("--resume", "plug it in again")
      .option("--speed <factor>", "simulated seconds in a second, 0 to 3600")
      .option("--at <time>", `what time it is for it: ${TIME_WORDS}`)
      .option("--interval <duration>", "time between messages, 100ms to 1h")
      .option("--seed <number>", "random numbers of another device of the same kind")
      .addOption(
        next("--next-command <kind>", "what becomes of the next command").choices(["fail", "slow", "silent", "usual"]),
      )
      .addOption(next("--command <name>", "only of this command"))
      .addOption(next("--times <count>", "of so many commands"))
      .addOption(next("--message <text>", "what a failing one says"))
      .addOption(next("--delay <duration>", "how long a slow one takes (default 20s)"))
      .addOption(next("--no-progress", "a slow command reports no progress")),
  ).action(async (device: string, flags: SimulationFlags) => {
    const session = await openSession(cli, flags);
    const { blueprint } = await readDeviceBlueprint(session, device);
    const change = await changeOf(cli, flags, { device, session, blueprint });
    const answer = await session.wait(
      Object.keys(change).length === 0
        ? session.client.devices.simulation(device)
        : session.client.devices.adjustSimulation(device, change),
    );
    await printAnswer(cli, flags, answer, (colour) => render(answer.simulation, blueprint, colour));
  });
  addExamples(
    command,
    "simulation battery-a",
    "simulation battery-a --set battery_soc=4 --raise too_hot",
    "simulation battery-a --release battery_soc,too_hot",
    'simulation battery-a --next-command fail --command set_mode --message "contactor stuck"',
    "simulation battery-a --next-command slow --delay 2m",
    "simulation battery-a --pause",
    "simulation battery-a --at 2026-06-15T11:30:00Z --speed 600",
  );
}

type Target = { readonly device: string; readonly session: Session; readonly blueprint: Blueprint };

async function changeOf(cli: Cli, flags: SimulationFlags, target: Target): Promise<SimulationChange> {
  if (flags.pause && flags.resume) throw new UsageError("--pause or --resume, not both");
  const { telemetry, properties, alerts } = await heldOf(cli, flags, target);
  const isUsual = flags.nextCommand === "usual";
  const release = flags.reset
    ? (["telemetry", "properties", "alerts", "next_command", "written"] as const)
    : isUsual
      ? (["next_command"] as const)
      : undefined;
  return {
    ...(release !== undefined && { release }),
    ...(Object.keys(telemetry).length > 0 && { telemetry }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(Object.keys(alerts).length > 0 && { alerts }),
    ...(flags.pause && { paused: true }),
    ...(flags.resume && { paused: false }),
    ...(flags.speed !== undefined && { speed: number("--speed", flags.speed) }),
    ...(flags.seed !== undefined && { seed: number("--seed", flags.seed) }),
    ...(flags.at !== undefined && {
      simulated_at: renderInstant(instant(parseTime("--at", flags.at, Date.now()))),
    }),
    ...(flags.interval !== undefined && { interval: flags.interval }),
    ...(!isUsual && nextOf(flags)),
  };
}

type Held = {
  readonly telemetry: JsonObject;
  readonly properties: JsonObject;
  readonly alerts: Readonly<Record<string, boolean | null>>;
};

async function heldOf(cli: Cli, flags: SimulationFlags, { device, session, blueprint }: Target): Promise<Held> {
  const telemetry: Record<string, JsonObject[string]> = Object.create(null);
  const properties: Record<string, JsonObject[string]> = Object.create(null);
  const alerts: Record<string, boolean | null> = Object.create(null);
  const isProperty = (name: string) => blueprint.properties.has(name) && !blueprint.telemetry.has(name);
  const declared = new Map<string, Property | TelemetryAttribute>([...blueprint.properties, ...blueprint.telemetry]);
  for (const [name, value] of await parseHeld(cli, declared, flags.set ?? [])) {
    (isProperty(name) ? properties : telemetry)[name] = value as JsonObject[string];
  }
  for (const id of flags.raise ?? []) alerts[id] = true;
  for (const id of flags.clear ?? []) alerts[id] = false;
  if (flags.release === undefined) return { telemetry, properties, alerts };
  // A name may be that of a value or of an alert: what is held decides.
  const { simulation } = await session.wait(session.client.devices.simulation(device));
  for (const name of flags.release) {
    if (Object.hasOwn(simulation.alerts, name)) alerts[name] = null;
    else (isProperty(name) ? properties : telemetry)[name] = null;
  }
  return { telemetry, properties, alerts };
}

function nextOf(flags: SimulationFlags): Pick<SimulationChange, "next_command"> {
  const { nextCommand: kind, command, times, message, delay, progress } = flags;
  if (kind === undefined || kind === "usual") {
    const lonely = { command, times, message, delay, "no-progress": progress ? undefined : true };
    const [first] = Object.entries(lonely).filter(([, value]) => value !== undefined);
    if (first !== undefined) throw new UsageError(`--${first[0]} goes with --next-command fail, slow or silent`);
    return {};
  }
  return {
    next_command: {
      kind,
      ...(command !== undefined && { command }),
      ...(times !== undefined && { times: number("--times", times) }),
      ...(message !== undefined && { message }),
      ...(delay !== undefined && { delay }),
      ...(!progress && { progress }),
    },
  };
}

function number(flag: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`${flag} must be a number, not "${text}"`);
}

function render(simulation: Simulation, blueprint: Blueprint, colour: boolean): string {
  const { current, alerts, next_command: next } = simulation;
  const heldAlerts = Object.entries(alerts).map(([id, isRaised]) => `${id} ${isRaised ? "raised" : "cleared"}`);
  const record = renderRecord(
    {
      State: simulation.paused ? "paused" : simulation.stopped ? "stopped by a command" : "running",
      "Simulated time": `${simulation.simulated_at} at speed ${simulation.speed}, a message every ${simulation.interval}`,
      Seed: simulation.seed,
      "Active alerts": current.alerts.join(", ") || "none",
      "Held alerts": heldAlerts.join(", ") || "none",
      "Next command": next === null ? "as usual" : describeNext(next),
      "Set by commands": renderValue(simulation.written),
    },
    colour,
  );
  const rows = (["telemetry", "properties"] as const).flatMap((kind) =>
    Object.entries(current[kind]).map(([name, value]) => ({
      kind,
      name,
      value,
      unit: blueprint[kind].get(name)?.unit,
      isHeld: Object.hasOwn(simulation[kind], name),
    })),
  );
  type Row = (typeof rows)[number];
  const table = renderTable(
    {
      NAME: ({ name }: Row) => name,
      VALUE: ({ value }: Row) => renderValue(value),
      UNIT: ({ unit }: Row) => unit,
      KIND: ({ kind }: Row) => (kind === "telemetry" ? "telemetry" : "property"),
      HELD: ({ isHeld }: Row) => (isHeld ? "held" : undefined),
    },
    rows,
    { colour },
  );
  return `${record}\n\n${table}`;
}

function describeNext({ kind, command, times, delay, message }: NonNullable<Simulation["next_command"]>): string {
  const which = `${(times ?? 1) > 1 ? `${times} times ` : ""}${command ?? "any command"}`;
  return [kind, which, delay, message].filter((part) => part !== undefined && part !== null).join(", ");
}
