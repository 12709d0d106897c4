// Creates of a site through the writing thread, next to the same commits made on the main thread, in one run: writes per
// second, latency, commits per write, and how long the event loop was held up. Once on the disk as it is, and once with 20 ms
// more per commit, as flash storage in small computers has them. Prints one JSON line; times are in milliseconds.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Writer } from "#store/records/writer.ts";
import { commitBatch, type WriteRequest } from "#store/sqlite/commit-batch.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { migrate } from "#store/sqlite/migrate.ts";
import { openWriter } from "#store/sqlite/writer.ts";
import { makeEntry, makeSite } from "../test/support/records.ts";

const MEASURED_MS = 800;
const WARM_UP_MS = 200;
/** Rounds of each case, in turns; the median of each figure is reported. */
const ROUNDS = 3;
const PROBE_MS = 1;
const CONCURRENCIES = [1, 64, 256];
const SLOW_COMMIT_MS = 20;

/** Written in the checkout, because a temporary folder may lie in memory, where a commit costs nothing. */
const parent = fileURLToPath(new URL("../.busbar/", import.meta.url));

interface Bench {
  readonly run: Writer["run"];
  readonly close: () => Promise<void>;
  /** Cell 0 counts commits, cell 1 is the extra time of each in milliseconds. */
  readonly cells: Int32Array;
}

/** Counts and slows commits in a thread before any of our code runs there. */
const PRELOAD = `
  import { DatabaseSync } from "node:sqlite";
  import { workerData } from "node:worker_threads";
  ${patchCommits}
  patchCommits(DatabaseSync, workerData.cells);
`;

function patchCommits(database: typeof DatabaseSync, cells: Int32Array): void {
  const { exec } = database.prototype;
  database.prototype.exec = function (sql) {
    exec.call(this, sql);
    if (sql !== "COMMIT") return;
    Atomics.add(cells, 0, 1);
    if (Atomics.load(cells, 1) > 0)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Atomics.load(cells, 1));
  };
}

async function openThread(file: string): Promise<Bench> {
  const cells = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL("../src/store/sqlite/writer-worker.ts", import.meta.url), {
    workerData: { file, cells },
    execArgv: ["--import", `data:text/javascript,${encodeURIComponent(PRELOAD)}`],
  });
  const writer = await openWriter(
    file,
    (error) => {
      throw error;
    },
    worker,
  );
  return { run: writer.run, close: writer.close, cells };
}

const inlineCells = new Int32Array(new SharedArrayBuffer(8));

async function openInline(file: string): Promise<Bench> {
  const database = new Connection(file, "write");
  migrate(database);
  let batch: WriteRequest[] = [];
  let waiting: { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }[] = [];
  const flush = async () => {
    const [requests, writers] = [batch, waiting];
    [batch, waiting] = [[], []];
    for (const [index, answer] of (await commitBatch(database, requests)).entries()) {
      if ("result" in answer) writers[index]?.resolve(answer.result);
      else writers[index]?.reject(new Error(JSON.stringify(answer)));
    }
  };
  return {
    run: (name, input) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve: resolve as (result: unknown) => void, reject });
        if (batch.push({ id: batch.length, name, input }) === 1) setImmediate(() => void flush());
      }),
    close: async () => database.close(),
    cells: inlineCells,
  };
}

async function load(bench: Bench, concurrency: number, durationMs: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  const end = performance.now() + durationMs;
  const client = async () => {
    while (performance.now() < end) {
      const began = performance.now();
      await bench.run("insertSite", { site: makeSite(), trail: makeEntry() });
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return latencies.sort((one, other) => one - other);
}

interface Figures {
  readonly writes_per_s: number;
  readonly p50: number;
  readonly p99: number;
  readonly commits_per_write: number;
  readonly loop_delay_p99: number;
  readonly loop_delay_max: number;
}

async function measure(open: (file: string) => Promise<Bench>, concurrency: number, extraMs: number): Promise<Figures> {
  const folder = mkdtempSync(join(parent, "bench-"));
  const bench = await open(join(folder, "records.db"));
  Atomics.store(bench.cells, 1, extraMs);
  await load(bench, concurrency, WARM_UP_MS);
  Atomics.store(bench.cells, 0, 0);
  const delay = monitorEventLoopDelay({ resolution: PROBE_MS });
  delay.enable();
  const began = performance.now();
  const latencies = await load(bench, concurrency, MEASURED_MS);
  const seconds = (performance.now() - began) / 1000;
  delay.disable();
  const commits = Atomics.load(bench.cells, 0);
  Atomics.store(bench.cells, 1, 0);
  await bench.close();
  rmSync(folder, { recursive: true });
  // The probe's own interval is no delay.
  const late = (nanoseconds: number) => rounded(Math.max(0, nanoseconds / 1e6 - PROBE_MS));
  return {
    writes_per_s: Math.round(latencies.length / seconds),
    p50: rounded(latencies[Math.floor(latencies.length * 0.5)] ?? Number.NaN),
    p99: rounded(latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN),
    commits_per_write: rounded(commits / latencies.length),
    loop_delay_p99: late(delay.percentile(99)),
    loop_delay_max: late(delay.max),
  };
}

function medians(rounds: readonly Figures[]): Figures {
  const median = (figure: keyof Figures): number =>
    rounds.map((round) => round[figure]).sort((one, other) => one - other)[rounds.length >> 1] ?? Number.NaN;
  return {
    writes_per_s: median("writes_per_s"),
    p50: median("p50"),
    p99: median("p99"),
    commits_per_write: median("commits_per_write"),
    loop_delay_p99: median("loop_delay_p99"),
    loop_delay_max: median("loop_delay_max"),
  };
}

const rounded = (value: number): number => Number(value.toPrecision(3));

mkdirSync(parent, { recursive: true });
patchCommits(DatabaseSync, inlineCells);
const cases = [];
for (const extraMs of [0, SLOW_COMMIT_MS]) {
  for (const concurrency of CONCURRENCIES) {
    const rounds: { readonly thread: Figures; readonly inline: Figures }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const thread = await measure(openThread, concurrency, extraMs);
      rounds.push({ thread, inline: await measure(openInline, concurrency, extraMs) });
    }
    const thread = medians(rounds.map((round) => round.thread));
    const inline = medians(rounds.map((round) => round.inline));
    const ratio = { writes: rounded(thread.writes_per_s / inline.writes_per_s), p99: rounded(thread.p99 / inline.p99) };
    cases.push({ extra_ms_per_commit: extraMs, concurrency, thread, inline, ratio });
  }
}
console.log(JSON.stringify({ bench: "records", node: process.version, cases }));
