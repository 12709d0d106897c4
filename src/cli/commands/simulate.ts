import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples, collect } from "#cli/client-command.ts";
import { parseTime, TIME_WORDS } from "#cli/parse-time.ts";
import { readDeviceBlueprint } from "#cli/read-device-blueprint.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { parseHeld } from "#cli/simulator/parse-held.ts";
import { simulateHere } from "#cli/simulator/simulate-here.ts";
import { simulateOnServer } from "#cli/simulator/simulate-on-server.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { isTimezone, standardOffset } from "#core/site/timezone.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";

type SimulateFlags = ClientFlags & {
  readonly seed?: string;
  readonly from: string;
  readonly step?: string;
  readonly count?: string;
  readonly speed?: string;
  readonly attributes?: readonly string[];
  readonly set?: readonly string[];
  readonly raise?: readonly string[];
  readonly timezone: string;
  readonly site?: string | true;
  readonly name?: string;
  readonly slug?: string;
  readonly mqtt?: true;
  readonly rm?: true;
  readonly output: string;
};

const append = (word: string, before: readonly string[] = []) => [...before, word];

export function addSimulateCommand(simulate: Command, cli: Cli): void {
  const server = (flags: string, about: string) => new Option(flags, about).helpGroup("On a server:");
  addConnectionOptions(
    simulate
      .argument("<blueprint>", "a manifest, a folder, a zip, - for standard input, or a device whose blueprint to take")
      .option("--seed <number>", "which device of the kind; the same number gives the same values (default 1)")
      .option("--from <time>", `first moment: ${TIME_WORDS}`, "now")
      .option("--step <duration>", "simulated time from one message to the next (default a second, times --speed)")
      .option("--count <number>", "how many messages; then they come at once, unless --speed is given")
      .option("--speed <factor>", "simulated seconds in a second (default 1)")
      .option("-a, --attributes <names>", "only these", collect)
      .option("--set <name=value>", "hold a value; may be repeated", append)
      .option("--raise <alerts>", "raise alerts", collect)
      .option("--timezone <zone>", "time zone of the sun, such as Europe/Berlin", "UTC")
      .addOption(
        new Option("-o, --output <format>", "a line each, the message as JSON, or CSV for telemetry import")
          .choices(["table", "json", "yaml", "csv"])
          .default("table"),
      )
      .addOption(
        server(
          "--site [site]",
          "make a simulated device on a server and follow it; a site by id or name, if there are several",
        ),
      )
      .addOption(server("--mqtt", "connect over MQTT as a device of its own, instead of leaving it to the server"))
      .addOption(server("--name <name>", "name of the device (default the blueprint's)"))
      .addOption(server("--slug <slug>", "short name of the device"))
      .addOption(server("--rm", "delete the device at the end")),
  ).action(async (source: string, flags: SimulateFlags) => {
    // A name, a slug and a deletion are of a device on a server: with one site there is nothing more to say.
    const isOnServer = [flags.site, flags.mqtt, flags.name, flags.slug, flags.rm].some((flag) => flag !== undefined);
    if (isOnServer) await onServer(cli, source, flags);
    else await here(cli, await findBlueprint(cli, source, flags), flags);
  });
  addExamples(
    simulate,
    "simulate manifest.yml",
    "simulate ./battery --count 5 --seed 42 -o json",
    "simulate ./battery --speed 600 -a battery_soc,battery_power",
    "simulate ./pv --from -7d --step 1m --count 10080 -o csv | busbar telemetry import - --device pv-1",
    "simulate ./battery --slug battery-a",
    "simulate ./battery --mqtt --slug battery-b",
    "simulation battery-a --set battery_soc=4 --raise too_hot",
  );
}

async function findBlueprint(cli: Cli, source: string, flags: SimulateFlags): Promise<Blueprint> {
  if (source === "-" || existsSync(resolve(cli.cwd, source))) return (await readValidBlueprint(cli, source)).blueprint;
  if (/[/\\]|\.(ya?ml|json|zip)$/.test(source)) throw new UsageError(`${source} does not exist`);
  return (await readDeviceBlueprint(await openSession(cli, flags), source)).blueprint;
}

async function here(cli: Cli, blueprint: Blueprint, flags: SimulateFlags): Promise<void> {
  const count = flags.count === undefined ? undefined : number("--count", flags.count, [0, 1e9]);
  const speed = flags.speed === undefined ? undefined : number("--speed", flags.speed, [0.001, 1e6]);
  if (!isTimezone(flags.timezone)) throw new UsageError(`"${flags.timezone}" is not a time zone`);
  const stepMs = flags.step === undefined ? 1_000 * (speed ?? 1) : stepOf(flags.step);
  const isAtOnce = count !== undefined && speed === undefined;
  await simulateHere(cli, blueprint, {
    seed: seedOf(flags) ?? 1,
    from: parseTime("--from", flags.from, Date.now()),
    stepMs,
    count,
    waitMs: isAtOnce ? 0 : stepMs / (speed ?? 1),
    offsetMs: standardOffset(flags.timezone),
    attributes: flags.attributes,
    held: await parseHeld(cli, blueprint.telemetry, flags.set ?? []),
    raised: flags.raise ?? [],
    output: flags.output,
  });
}

async function onServer(cli: Cli, source: string, flags: SimulateFlags): Promise<void> {
  for (const flag of ["set", "raise", "attributes"] as const) {
    if (flags[flag] !== undefined)
      throw new UsageError(`--${flag} works without --site, --mqtt, --name, --slug and --rm`);
  }
  if (flags.output === "csv") throw new UsageError("-o csv works without --site, --mqtt, --name, --slug and --rm");
  const { blueprint } = await readValidBlueprint(cli, source);
  await simulateOnServer(cli, await openSession(cli, flags), {
    path: resolve(cli.cwd, source),
    site: flags.site === true ? undefined : flags.site,
    name: flags.name ?? (blueprint.displayName.trim() || "Simulated device"),
    slug: flags.slug,
    seed: seedOf(flags),
    speed: flags.speed === undefined ? undefined : number("--speed", flags.speed, [0, 3_600]),
    count: flags.count === undefined ? undefined : number("--count", flags.count, [1, 1e9]),
    mqtt: flags.mqtt && {
      blueprint,
      intervalMs: flags.step === undefined ? 1_000 : stepOf(flags.step),
      offsetMs: standardOffset(flags.timezone),
    },
    isTemporary: flags.rm === true,
    output: flags.output,
  });
}

function stepOf(text: string): number {
  const step = parseDuration(text);
  if (step !== undefined && toMilliseconds(step) >= 1) return toMilliseconds(step);
  throw new UsageError(`--step must be a duration of at least 1ms, not "${text}"`);
}

function seedOf({ seed }: SimulateFlags): number | undefined {
  if (seed === undefined) return undefined;
  const value = number("--seed", seed, [0, 2 ** 32 - 1]);
  if (!Number.isInteger(value)) throw new UsageError(`--seed must be a whole number, not "${seed}"`);
  return value;
}

function number(flag: string, text: string, [least, most]: readonly [number, number]): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= least && value <= most) return value;
  throw new UsageError(`${flag} must be a number from ${least} to ${most}, not "${text}"`);
}
