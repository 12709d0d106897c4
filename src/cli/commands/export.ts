// Every point of devices, into files or to standard output. What was written stays: an export that broke off goes on
// where its files end.
import { promises } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { findSite } from "#cli/find-site.ts";
import { parseTime, TIME_WORDS } from "#cli/parse-time.ts";
import { remark } from "#cli/print.ts";
import { type Progress, startProgress } from "#cli/progress.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import { parseSeries } from "#cli/telemetry/parse-series.ts";
import { findEnd, timeOf } from "#cli/telemetry/resume-file.ts";
import { UsageError } from "#cli/usage-error.ts";
import { writeOutput } from "#cli/write-output.ts";
import type { Client } from "#client/create-client.ts";
import { mayPass } from "#client/errors.ts";
import { listAll } from "#client/list-all.ts";
import type { Queries } from "#client/resources.ts";

type Form = "csv" | "jsonl" | "parquet";
type ExportFlags = Omit<ClientFlags, "output"> & {
  readonly site?: string;
  readonly from?: string;
  readonly to: string;
  readonly form: Form;
  readonly shape: "wide" | "long";
  readonly time: "unix" | "iso" | "local";
  readonly file?: string;
  readonly folder?: string;
  readonly resume?: true;
};

/** Pauses before an export that broke off goes on, in milliseconds. */
const PAUSES = [1_000, 2_000, 4_000, 8_000, 16_000];

export function addExportAllCommand(command: Command, cli: Cli): void {
  command
    .argument("[device[:attributes]...]", "devices, with attributes or all of them")
    .option("--site <site>", "all devices of a site, by its id or name")
    .option("--from <time>", `start: ${TIME_WORDS} (default the beginning)`)
    .option("--to <time>", "end, not included", "now")
    .addOption(new Option("--form <form>", "form of the files").choices(["csv", "jsonl", "parquet"]).default("csv"))
    .addOption(
      new Option("--shape <shape>", "a row per moment, or a row per value").choices(["wide", "long"]).default("wide"),
    )
    .addOption(
      new Option("--time <form>", "Unix seconds, RFC 3339 in UTC, or as clocks at the site show it")
        .choices(["unix", "iso", "local"])
        .default("unix"),
    )
    .option("--file <file>", "where to write one device (default standard output)")
    .option("--folder <folder>", "where to write several devices, a file each")
    .option("--resume", "go on with files that are there already");
  addConnectionOptions(command).action(async (words: readonly string[], flags: ExportFlags) => {
    const session = await openSession(cli, { ...flags, output: "table" });
    const devices = await chosenDevices(session, words, flags);
    if (devices.length > 1 && flags.folder === undefined) {
      throw new UsageError(`${devices.length} devices need --folder, which gets a file for each`);
    }
    if (flags.folder !== undefined) await promises.mkdir(flags.folder, { recursive: true });
    const progress = startProgress(cli, "exporting");
    const total = { bytes: 0 };
    try {
      for (const [index, one] of devices.entries()) {
        const label = devices.length === 1 ? one.device : `${one.device} (${index + 1} of ${devices.length})`;
        await exportDevice({ cli, client: session.client, flags, progress, total }, { ...one, label });
      }
    } finally {
      progress.stop();
    }
    remark(
      cli,
      `exported ${devices.length === 1 ? "1 device" : `${devices.length} devices`}, ${megabytes(total.bytes)}`,
    );
  });
  addExamples(
    command,
    "export meter-1 --from -90d > meter-1.csv",
    'export --site "Demo site" --from -30d --folder points --form parquet',
    'export --site "Demo site" --from -30d --folder points --resume',
    "export meter-1:power --from -7d --shape long --time local --form jsonl --file power.jsonl",
  );
}

interface Chosen {
  /** Names the file. */
  readonly device: string;
  /** Slugs are unique on a site only. */
  readonly id: string;
  /** None means all. */
  readonly attributes: readonly string[];
}

async function chosenDevices(
  session: Session,
  words: readonly string[],
  { site }: ExportFlags,
): Promise<readonly Chosen[]> {
  const named = words.length === 0 ? [] : parseSeries(words);
  if (named.length > 0 && site !== undefined) throw new UsageError("give devices or --site, not both");
  if (site === undefined) {
    if (named.length === 0) throw new UsageError("name a device, or a site by --site");
    return named.map(({ device, attributes }) => ({ device, id: device, attributes }));
  }
  const siteId = await findSite(session, site);
  const devices = listAll("devices", (window) => session.client.devices.listBySite(siteId, window));
  const all = await session.wait(Array.fromAsync(devices));
  return all.filter(({ type }) => type !== "GATEWAY").map(({ id, slug }) => ({ device: slug, id, attributes: [] }));
}

interface Exporting {
  readonly cli: Cli;
  readonly client: Client;
  readonly flags: ExportFlags;
  readonly progress: Progress;
  readonly total: { bytes: number };
}

async function exportDevice(exporting: Exporting, chosen: Chosen & { readonly label: string }): Promise<void> {
  const { flags, progress } = exporting;
  const file = flags.folder === undefined ? flags.file : join(flags.folder, `${chosen.device}.${flags.form}`);
  if (file === undefined) return await writeDevice(exporting, chosen, { resumes: false });
  for (let attempt = 0; ; attempt++) {
    try {
      return await writeDevice(exporting, chosen, { file, resumes: flags.resume === true || attempt > 0 });
    } catch (error) {
      const pause = PAUSES[attempt];
      if (pause === undefined || !mayPass(error)) throw error;
      progress.say(`${error instanceof Error ? error.message : error}; going on in ${pause / 1_000} s`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

async function writeDevice(
  { cli, client, flags, progress, total }: Exporting,
  { id, attributes, label }: Chosen & { readonly label: string },
  { file, resumes }: { readonly file?: string; readonly resumes: boolean },
): Promise<void> {
  const now = Date.now();
  const { form, shape, time } = flags;
  const given = flags.from === undefined ? 0 : parseTime("--from", flags.from, now);
  const to = parseTime("--to", flags.to, now);
  const isThere = file !== undefined && (await promises.stat(file).catch(() => undefined)) !== undefined;
  if (isThere && !resumes) throw new UsageError(`${file} is there already; --resume continues it`);
  // A Parquet file that has its name is complete.
  if (isThere && form === "parquet") return;
  const end = isThere && file !== undefined ? await findEnd(file, shape) : undefined;
  const from = Math.max(given, end?.from ?? given);
  if (from >= to) return;
  const query: Queries["exportDeviceTelemetry"] = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(attributes.length > 0 && { attributes }),
    form,
    shape,
    time,
  };
  const rows = await suggestDevice(client, id, client.telemetry.export(id, query));
  const out = await openOutput(cli, { file, form, keep: end?.length ?? 0 });
  let skipsHeader = end !== undefined && form === "csv";
  try {
    for await (const piece of rows) {
      // The file has its header already.
      const header = skipsHeader ? piece.indexOf(10) : -1;
      if (skipsHeader && header < 0) continue;
      skipsHeader = false;
      const bytes = piece.subarray(header + 1);
      await out.write(bytes);
      total.bytes += bytes.length;
      const at = form === "parquet" ? undefined : lastTime(bytes);
      const part = at === undefined || given === 0 ? "" : `, ${Math.round(((at - given) / (to - given)) * 100)} %`;
      progress.relabel(`exporting ${label}: ${megabytes(total.bytes)}${part}`);
    }
    await out.finish();
  } finally {
    await out.close();
  }
}

interface Output {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** A Parquet file gets its name when it is complete: half of one is of no use. */
async function openOutput(
  cli: Cli,
  { file, form, keep }: { readonly file: string | undefined; readonly form: Form; readonly keep: number },
): Promise<Output> {
  const nothing = async () => {};
  if (file === undefined) return { write: (bytes) => writeOutput(cli, bytes), finish: nothing, close: nothing };
  const path = form === "parquet" ? `${file}.part` : file;
  const handle = await promises.open(path, keep > 0 ? "r+" : "w");
  await handle.truncate(keep);
  let at = keep;
  return {
    async write(bytes) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
    },
    async finish() {
      await handle.sync();
      if (path !== file) await promises.rename(path, file);
    },
    close: () => handle.close(),
  };
}

/** The time of the last whole row of a piece. */
function lastTime(bytes: Uint8Array): number | undefined {
  const end = bytes.lastIndexOf(10);
  const start = end <= 0 ? 0 : bytes.lastIndexOf(10, end - 1) + 1;
  return end < 0 ? undefined : timeOf(Buffer.from(bytes.subarray(start, Math.min(end, start + 64))).toString());
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
