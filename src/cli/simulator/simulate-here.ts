import type { Cli } from "#cli/cli.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { UsageError } from "#cli/usage-error.ts";
import { pause } from "#client/pause.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type Adjustments, adjust, untouched } from "#core/simulator/adjustments.ts";
import { createDeviceModel } from "#core/simulator/device-model.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { printable } from "#core/text/printable.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { parseUnit } from "#manifest/units.ts";

export type HereOptions = {
  readonly seed: number;
  /** Unix milliseconds. */
  readonly from: number;
  readonly stepMs: number;
  /** Undefined: until the person ends it. */
  readonly count: number | undefined;
  /** Milliseconds to wait between two moments. */
  readonly waitMs: number;
  readonly offsetMs: number;
  /** Undefined: all. */
  readonly attributes: readonly string[] | undefined;
  readonly held: ReadonlyMap<string, unknown>;
  readonly raised: readonly string[];
  readonly output: string;
};

/** Prints what the device would send, moment by moment; without a server. */
export async function simulateHere(cli: Cli, blueprint: Blueprint, options: HereOptions): Promise<void> {
  const { seed, from, stepMs, count, waitMs, offsetMs } = options;
  const model = createDeviceModel({ blueprint, seed, offsetMs, readUnit: parseUnit });
  const adjustments = adjusted(blueprint, options);
  const names = attributesOf([...model.telemetry(instant(from), adjustments).keys()], options.attributes);
  const print = await printerOf(cli, names, options.output);
  const ended = new AbortController();
  const stopListening = cli.onInterrupt?.(() => ended.abort());
  for (let step = 0; step !== count && !ended.signal.aborted; step++) {
    if (step > 0 && waitMs > 0) await pause(waitMs, ended.signal);
    if (ended.signal.aborted) break;
    const at = instant(from + step * stepMs);
    const values = model.telemetry(at, adjustments);
    print(at, new Map(names.map((name) => [name, values.get(name)])));
  }
  stopListening?.();
}

function adjusted(blueprint: Blueprint, { seed, from, held, raised }: HereOptions): Adjustments {
  const now = instant(from);
  const alerts = new Map(raised.map((id) => [id, true] as const));
  const { adjustments, problems } = adjust({ blueprint, now }, untouched(seed, now), { telemetry: held, alerts });
  if (problems.length > 0) throw new UsageError(problems.map(({ message }) => message).join("\n"));
  return adjustments;
}

function attributesOf(all: readonly string[], wanted: readonly string[] | undefined): readonly string[] {
  for (const name of wanted ?? []) {
    if (all.includes(name)) continue;
    const close = nearestOf(name, all);
    throw new UsageError(
      `the blueprint has no telemetry attribute "${name}"${close === undefined ? "" : `; did you mean ${close}?`}`,
    );
  }
  return wanted ?? all;
}

type PrintMoment = (at: number, values: ReadonlyMap<string, unknown>) => void;

/** A line for people; for programs the message that a device would send, or CSV as `telemetry import` reads it. */
async function printerOf(cli: Cli, names: readonly string[], output: string): Promise<PrintMoment> {
  if (output === "csv") {
    cli.stdout.write(`ts,${names.map((name) => `telemetry=${name}`).join(",")}\n`);
    return (at, values) => void cli.stdout.write(`${[at / 1000, ...[...values.values()].map(cell)].join(",")}\n`);
  }
  const print = await createPrinter(cli, { output });
  return (at, values) =>
    print({ timestamp: at / 1000, ...Object.fromEntries(values) }, () => {
      const words = [...values].map(
        ([name, value]) => `${name}=${Array.isArray(value) ? `[${value.join(",")}]` : value}`,
      );
      return `${renderInstant(instant(at))}  ${printable(words.join(" "))}`;
    });
}

function cell(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
