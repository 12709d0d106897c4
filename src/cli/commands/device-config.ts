import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand, requireId } from "#cli/client-command.ts";
import { askInput } from "#cli/input/ask-input.ts";
import { describeInput, type Input, type Inputs, type Values } from "#cli/input/describe-input.ts";
import { gatherInputs } from "#cli/input/gather-inputs.ts";
import { printTable } from "#cli/print.ts";
import { readDeviceBlueprint } from "#cli/read-device-blueprint.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Blueprint, ConfigurationBucket } from "#core/blueprint/blueprint.ts";
import { HIDDEN } from "#core/command/plan-command.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { checkInputs } from "#core/value/check-inputs.ts";

type SetFlags = ClientFlags & { readonly args?: string };
type Row = { readonly bucket: string; readonly input: Input; readonly value: unknown };

export function addDeviceConfigCommands(config: Command, cli: Cli): void {
  const get = clientCommand(config, "get", "Show what a device is configured with; sensitive values read ***.")
    .argument("[device]", "id or slug of the device")
    .argument("[bucket]", "only this bucket")
    .action(async (argument: string | undefined, bucket: string | undefined, flags: ClientFlags) => {
      const id = requireId("device", argument, undefined);
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const { blueprint } = await readDeviceBlueprint(session, id);
      if (bucket === undefined) {
        const answer = await wait(client.devices.configuration.get(id));
        const rows = Object.entries(answer.configuration).flatMap(([name, values]) => rowsOf(blueprint, name, values));
        await printTable(cli, flags, { answer, rows, columns: COLUMNS });
      } else {
        const answer = await wait(client.devices.configuration.getBucket(id, bucket));
        await printTable(cli, flags, { answer, rows: rowsOf(blueprint, bucket, answer.values), columns: COLUMNS });
      }
    });
  addExamples(get, "device config get battery-1", "device config get battery-1 connection -o json");

  const set = clientCommand(config, "set", "Change parameters of a bucket; the others stay as they are.")
    .argument("[device]", "id or slug of the device")
    .argument("[bucket]", "the bucket")
    .argument(
      "[parameters...]",
      "key=value, key:=json, key=@file, or key to be asked; key:=null gives the default back",
    )
    .option("--args <json>", "parameters as a JSON object, or a file that holds one (- is standard input)")
    .action(
      async (argument: string | undefined, name: string | undefined, words: readonly string[], flags: SetFlags) => {
        const id = requireId("device", argument, undefined);
        const session = await openSession(cli, flags);
        const { client, wait } = session;
        const { blueprint } = await readDeviceBlueprint(session, id);
        const bucket = requireBucket(blueprint, name);
        const given = await gatherInputs(cli, bucket.parameters, { words, args: flags.args });
        if (Object.keys(given).length === 0) throw new UsageError("nothing to change: give key=value");
        const { values: present } = await wait(client.devices.configuration.getBucket(id, bucket.id));
        const values = await complete(cli, bucket, { ...present, ...given });
        const answer = await wait(client.devices.configuration.putBucket(id, bucket.id, values));
        await printTable(cli, flags, { answer, rows: rowsOf(blueprint, bucket.id, answer.values), columns: COLUMNS });
      },
    );
  addExamples(
    set,
    "device config set battery-1 limits max_power=5 mode=eco",
    "device config set inverter-1 connection host=192.0.2.7 password      asks for the password",
    "device config set inverter-1 connection password=@secret.txt",
  );
}

/** Checked as the server does it. A sensitive value that is stored is not known here, and sent back as it was read. */
async function complete(cli: Cli, { id, parameters }: ConfigurationBucket, merged: Values): Promise<Values> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(merged)) if (value !== null) values[name] = value;
  const isStored = (name: string) => values[name] === HIDDEN && parameters.get(name)?.sensitive === true;
  const { problems } = checkInputs(parameters, values, () => undefined);
  const wrong = problems.filter(({ name }) => !isStored(name));
  if (wrong.every(({ name }) => !Object.hasOwn(values, name)) && cli.ask !== undefined) {
    for (const { name } of wrong) {
      const input = parameters.get(name);
      if (input !== undefined) values[name] = await askInput(cli, input);
    }
    return values;
  }
  if (wrong.length === 0) return values;
  throw new UsageError([`${id} cannot be set like this:`, ...wrong.map(({ message }) => `  ${message}`)].join("\n"));
}

function requireBucket({ configuration }: Blueprint, name: string | undefined): ConfigurationBucket {
  const known = [...configuration.keys()];
  const bucket = configuration.get(name ?? "");
  if (bucket !== undefined) return bucket;
  if (known.length === 0) throw new UsageError("the device's blueprint has no configuration");
  if (name === undefined) throw new UsageError(`which bucket? it has ${known.join(", ")}`);
  const close = nearestOf(name, known);
  throw new UsageError(
    `there is no bucket "${name}"; ${close === undefined ? `it has ${known.join(", ")}` : `did you mean ${close}?`}`,
  );
}

/** All parameters, those without a value too: this is where people see what there is to set. */
function rowsOf({ configuration }: Blueprint, bucket: string, values: Values): readonly Row[] {
  const parameters: Inputs = configuration.get(bucket)?.parameters ?? new Map();
  return [...parameters.values()].map((input) => ({
    bucket,
    input,
    value: Object.hasOwn(values, input.id) ? values[input.id] : undefined,
  }));
}

const COLUMNS = {
  BUCKET: (row: Row) => row.bucket,
  PARAMETER: (row: Row) => row.input.id,
  VALUE: (row: Row) => (row.value === undefined ? undefined : renderValue(row.value)),
  TAKES: (row: Row) => describeInput(row.input),
  REQUIRED: (row: Row) => (row.input.required ? "yes" : undefined),
  NAME: (row: Row) => row.input.displayName,
};
