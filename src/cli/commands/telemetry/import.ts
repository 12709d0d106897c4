// A file is uploaded in pieces of whole rows, each with the header. A piece is durable when it is answered.
import { createReadStream, promises } from "node:fs";
import { resolve } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { remark } from "#cli/print.ts";
import { type Progress, startProgress } from "#cli/progress.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import { headerDevice, withoutDevice } from "#cli/telemetry/header-device.ts";
import { parquetPieces, pointPieces } from "#cli/telemetry/point-pieces.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Client } from "#client/create-client.ts";
import { mayPass } from "#client/errors.ts";
import type { Imported } from "#client/resources.ts";

type ImportFlags = ClientFlags & { readonly device?: string };

/** Pieces are as long as they take a second or some: the server gives a request 30 s, and a break costs one of them. */
const FIRST_PIECE_BYTES = 512 * 1024;
const LONGEST_PIECE_BYTES = 4 * 1024 * 1024;
/** What is read of a file at once. */
const CHUNK_BYTES = 128 * 1024;
const QUICK_MS = 3_000;
const SLOW_MS = 10_000;
const SHOWN_PROBLEMS = 20;
/** How often a piece is sent again while the server is away or busy, and the pauses between, in milliseconds. */
const PAUSES = [1_000, 2_000, 4_000, 8_000, 16_000];

export function addImportCommand(telemetry: Command, cli: Cli): void {
  const command = telemetry
    .command("import")
    .argument("<file>", "CSV or JSON lines, also compressed by gzip, or Parquet; - reads standard input")
    .description("Load points from CSV, JSON lines or Parquet, in any form that an export writes.")
    .option("-d, --device <device>", "whose points they are (default the device that the header names)");
  addConnectionOptions(command).action(async (given: string, flags: ImportFlags) => {
    const file = given === "-" ? given : resolve(cli.cwd, given);
    const input =
      file === "-" ? { bytes: cli.input ?? noInput(), read: undefined, isParquet: false } : await openFile(file);
    const { client } = await openSession(cli, flags);
    const progress = startProgress(cli, "importing");
    const total = { rows: 0, points: 0, problems: 0 };
    const shown: string[] = [];
    let line = 1;
    let isAny = false;
    let size = FIRST_PIECE_BYTES;
    try {
      const settings = { size: () => size, device: flags.device };
      const pieces = input.isParquet ? parquetPieces(file, settings) : pointPieces(input.bytes, settings);
      for await (const { bytes: given, firstLine } of pieces) {
        // An export names the device that the points are from.
        const bytes = flags.device === undefined ? given : withoutDevice(given);
        isAny = true;
        line = firstLine;
        const begun = performance.now();
        const device = flags.device ?? headerDevice(bytes);
        const answer = await suggestDevice(client, device, send(client, { device, bytes, progress }));
        size = nextSize(size, performance.now() - begun);
        total.rows += answer.rows;
        total.points += answer.points;
        total.problems += answer.problem_count;
        for (const { line, telemetry: name, message } of answer.problems) {
          // The piece's own lines begin after its header.
          const place = line === 1 ? 1 : line - 2 + firstLine;
          if (shown.length < SHOWN_PROBLEMS)
            shown.push(`line ${place}${name === undefined ? "" : `, ${name}`}: ${message}`);
        }
        const part = input.read === undefined ? "" : ` (${Math.round(input.read() * 100)} %)`;
        progress.relabel(`importing: ${total.points} points${part}`);
      }
      if (!isAny) throw new UsageError("the file is empty; its first row must be ts,telemetry=<attribute>");
    } catch (error) {
      if (total.points > 0) {
        progress.say(
          `broken off at line ${line}: the ${total.points} points before it are stored. Doing it again is harmless.`,
        );
      }
      throw error;
    } finally {
      progress.stop();
      for (const one of shown) remark(cli, one);
      if (total.problems > shown.length) remark(cli, `and ${total.problems - shown.length} problems more`);
    }
    cli.stdout.write(`imported ${total.points} points in ${total.rows} rows\n`);
    if (total.problems > 0) throw new QuietFailure(1);
  });
  addExamples(
    command,
    "telemetry import power.csv --device meter-1",
    "telemetry export meter-1 --from -30d | busbar telemetry import - --url http://other:8080",
  ).addHelpText(
    "after",
    `
A file looks like this. Times are Unix seconds or RFC 3339, an empty cell is no value:
  ts,telemetry=power,telemetry=status
  1794700800,4.25,idle
  2026-11-15T00:01:00Z,,busy
or has a row per value:
  ts,device,telemetry,value
  1794700800,meter-1,power,4.25
JSON lines and Parquet have ts, perhaps device, and a field for each attribute.`,
  );
}

function nextSize(size: number, tookMs: number): number {
  if (tookMs > SLOW_MS) return Math.max(FIRST_PIECE_BYTES / 8, size / 2);
  return tookMs < QUICK_MS ? Math.min(LONGEST_PIECE_BYTES, size * 2) : size;
}

/** Sends a piece again as long as that may help: doing it twice changes nothing. */
async function send(
  client: Client,
  { device, bytes, progress }: { readonly device: string; readonly bytes: Uint8Array; readonly progress: Progress },
): Promise<Imported> {
  for (const pause of PAUSES) {
    try {
      return await client.telemetry.import(device, bytes);
    } catch (error) {
      if (!mayPass(error)) throw error;
      progress.say(`${error instanceof Error ? error.message : error}; trying again in ${pause / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return await client.telemetry.import(device, bytes);
}

/** The bytes of a file, unpacked where they are compressed, and how much of it has been read, from 0 to 1. */
async function openFile(file: string) {
  const handle = await promises.open(file);
  const start = Buffer.alloc(4);
  let size: number;
  try {
    await handle.read(start, 0, start.length, 0);
    ({ size } = await handle.stat());
  } finally {
    await handle.close();
  }
  const stored = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const isPacked = start[0] === 0x1f && start[1] === 0x8b;
  const bytes: AsyncIterable<Uint8Array> = isPacked ? unpacked(file, stored) : stored;
  const isParquet = start.toString() === "PAR1";
  return { bytes, isParquet, read: () => (size === 0 ? 1 : Math.min(1, stored.bytesRead / size)) };
}

async function* unpacked(file: string, stored: Readable): AsyncIterable<Uint8Array> {
  const unpacking = createGunzip({ chunkSize: CHUNK_BYTES });
  // A failure of either end reaches the reader of the other.
  pipeline(stored, unpacking, () => {});
  try {
    yield* unpacking;
  } catch (error) {
    throw new UsageError(`${file} cannot be unpacked: ${error instanceof Error ? error.message : error}`);
  }
}

function noInput(): never {
  throw new UsageError("there is no standard input to read");
}
