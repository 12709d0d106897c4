import type { Size } from "./data.ts";
import { difference, type Engine, type Question, questions } from "./engine.ts";

interface Latency {
  readonly p50: number;
  readonly p99: number;
  /** With result caches on, where the engine has one. */
  readonly warm: number;
  readonly warmP99: number;
}

interface Measured {
  readonly question: string;
  readonly runs: number;
  readonly engines: Readonly<Record<string, Latency>>;
  /** How many times faster ours is than the fastest peer. */
  readonly ratio: number | undefined;
  readonly p99Ratio: number | undefined;
  /** The same with result caches on. */
  readonly warmRatio: number | undefined;
}

export interface Queries {
  readonly queries: readonly Measured[];
  /** Answers a second to four clients that ask q1. */
  readonly fourClients: Readonly<Record<string, number>>;
}

/** A gateway runs for months: what counts is the compiled code, which takes some hundred runs. */
const WARM_UP = 400;
const WARM_UP_MS = 4_000;
const LEAST_WARM_UP = 3;
const CLIENTS = 4;
const CLIENTS_MS = 3_000;
/** Beyond it there are fewer runs, of all engines, because they take turns. */
const ENOUGH_MS = 60_000;
const LEAST_RUNS = 10;
/** Runs of one engine before the next has its turn: what an engine still does after an answer is to fall on itself, not on the next. */
const TURN = 10;
/** Runs with result caches on: the first of them fill the caches and warm the code. */
const WARM_RUNS = 200;
const WARM_FIRST = 100;

interface MeasuredWith {
  readonly runs: number;
  readonly say: (text: string) => void;
  readonly all?: readonly Question[];
}

/** The first engine is ours; every other must give the same answers. */
export async function measureQueries(
  engines: readonly Engine[],
  size: Size,
  { runs, say, all = questions(size) }: MeasuredWith,
): Promise<Queries> {
  const queries: Measured[] = [];
  for (const question of all) {
    const measured = await measureOne(engines, question, runs);
    queries.push(measured);
    say(`${question.name}: ${measured.ratio ?? "-"} times as fast, p99 ${measured.p99Ratio ?? "-"}`);
  }
  say("four clients at once");
  const fourClients: Record<string, number> = {};
  const [first] = all;
  if (first !== undefined) {
    for (const engine of engines) await warmUp(engine, first);
    for (const engine of engines) fourClients[engine.name] = await answersPerSecond(engine, first);
  }
  return { queries, fourClients };
}

async function measureOne(engines: readonly Engine[], question: Question, runs: number): Promise<Measured> {
  const [ours, ...peers] = engines;
  if (ours === undefined) throw new Error("there is no engine");
  const expected = ours.parse(question, await ours.ask(question, false));
  if (expected.size === 0) throw new Error(`${question.name}: we answered nothing`);
  for (const peer of peers) {
    const found = difference(expected, peer.parse(question, await peer.ask(question, false)));
    if (found !== undefined) throw new Error(`${question.name}: ours and ${peer.name} differ ${found}`);
  }
  for (const engine of engines) await warmUp(engine, question);
  const times = new Map(engines.map((engine): [string, number[]] => [engine.name, []]));
  const started = performance.now();
  let done = 0;
  // By turns, so that a noisy moment of the machine hits all.
  for (; done < runs && (done < LEAST_RUNS || performance.now() - started < ENOUGH_MS); done += TURN) {
    for (const engine of engines) {
      for (let run = 0; run < TURN; run++) times.get(engine.name)?.push(await timed(engine, question, false));
    }
  }
  const latencies: Record<string, Latency> = {};
  for (const engine of engines) {
    const own = (times.get(engine.name) ?? []).sort((a, b) => a - b);
    const all: number[] = [];
    for (let run = 0; run < WARM_RUNS; run++) all.push(await timed(engine, question, true));
    const warm = all.slice(WARM_FIRST).sort((a, b) => a - b);
    const kept = { warm: at(warm, 0.5), warmP99: at(warm, 0.99) };
    latencies[engine.name] = { p50: at(own, 0.5), p99: at(own, 0.99), ...kept };
  }
  const best = (of: (one: Latency) => number) =>
    peers.length === 0 ? undefined : Math.min(...peers.map(({ name }) => of(latencies[name] ?? NONE)));
  const own = latencies[ours.name] ?? NONE;
  const ratio = (of: (one: Latency) => number) => {
    const peer = best(of);
    return peer === undefined ? undefined : Math.round((peer / of(own)) * 100) / 100;
  };
  return {
    question: question.name,
    runs: done,
    engines: latencies,
    ratio: ratio(({ p50 }) => p50),
    p99Ratio: ratio(({ p99 }) => p99),
    warmRatio: ratio(({ warm }) => warm),
  };
}

async function warmUp(engine: Engine, question: Question): Promise<void> {
  const started = performance.now();
  for (let run = 0; run < WARM_UP; run++) {
    if (run >= LEAST_WARM_UP && performance.now() - started > WARM_UP_MS) return;
    await engine.ask(question, false);
  }
}

const NONE: Latency = { p50: Number.NaN, p99: Number.NaN, warm: Number.NaN, warmP99: Number.NaN };

async function timed(engine: Engine, question: Question, warm: boolean): Promise<number> {
  const started = performance.now();
  await engine.ask(question, warm);
  return performance.now() - started;
}

async function answersPerSecond(engine: Engine, question: Question): Promise<number> {
  const started = performance.now();
  let answers = 0;
  const client = async () => {
    while (performance.now() - started < CLIENTS_MS) {
      await engine.ask(question, false);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return Math.round(answers / ((performance.now() - started) / 1_000));
}

function at(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return Math.round(value * 100) / 100;
}

export function report({ queries, fourClients }: Queries): string {
  const names = Object.keys(queries[0]?.engines ?? {});
  const head = ["p50 / p99 (warm p50 / p99), ms", "runs", ...names, "ratio", "p99 ratio", "warm ratio"];
  const rows = queries.map(({ question, runs, engines, ratio, p99Ratio, warmRatio }) => [
    question,
    String(runs),
    ...names.map((name) => {
      const { p50, p99, warm, warmP99 } = engines[name] ?? NONE;
      return `${p50} / ${p99} (${warm} / ${warmP99})`;
    }),
    String(ratio ?? "-"),
    String(p99Ratio ?? "-"),
    String(warmRatio ?? "-"),
  ]);
  const clients = ["four clients on q1, answers/s", "", ...names.map((name) => String(fourClients[name])), "", "", ""];
  const table = [head, ...rows, clients];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}
