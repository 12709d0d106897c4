// One abuse beside the honest neighbour: what the abuser did and what the neighbour felt.
import type { Abuse } from "./abuse.ts";
import type { Abusers, Counts } from "./abuser.ts";
import type { Gateway } from "./gateway.ts";
import type { Latency, Sample } from "./honest-neighbour.ts";
import { type Echo, memoryMB, percentile } from "./machine.ts";

const PING_EVERY_MS = 10;
const MEMORY_EVERY_MS = 25;

/** 99th percentiles. */
export interface Felt {
  readonly reads: Latency;
  readonly commands: Latency;
  readonly points: Latency;
}

export interface Figures {
  readonly abuse: string;
  readonly felt: Felt;
  /** The same right before the abuse. */
  readonly calm: Felt;
  /** How late the echo process was meanwhile, 99th percentile in milliseconds. */
  readonly noiseMs: number;
  /** The most at any moment. */
  readonly memoryMB: number;
  readonly refused: readonly string[];
  readonly acknowledged: number;
  readonly missing: readonly string[];
  readonly isAlive: boolean;
  /** What the abuser did and how it was answered. */
  readonly counts: Counts;
}

export interface Surroundings {
  readonly gateway: Gateway;
  readonly abusers: Abusers;
  readonly echo: Echo;
  /** 0 where nobody compares with it. */
  readonly calmMs: number;
  readonly abuseMs: number;
}

export async function runAbuse(surroundings: Surroundings, abuse: Abuse): Promise<Figures> {
  const { gateway, abusers, echo, calmMs, abuseMs } = surroundings;
  const { honest, hostile, busbar } = gateway;
  await abusers.prepare();
  const calm = feltIn(await honest.measure(calmMs));
  const noise = repeat(PING_EVERY_MS, () => echo.ping());
  const memory = repeat(MEMORY_EVERY_MS, async () => memoryMB(busbar.pid));
  let counts: Counts = {};
  let sample: Sample;
  try {
    await abusers.start(abuse, hostile);
    sample = await measureUntil(abusers.acted(), () => honest.measure(abuseMs));
    counts = await abusers.stop();
  } catch (error) {
    abusers.close();
    throw error;
  }
  const kept = await honest
    .verify()
    .catch((error: Error) => ({ acknowledged: 0, missing: [`all: ${error.message.slice(0, 200)}`] }));
  return {
    abuse: abuse.name,
    felt: feltIn(sample),
    calm,
    noiseMs: percentile(await noise(), 0.99),
    memoryMB: Math.max(...(await memory())),
    refused: sample.refused,
    ...kept,
    isAlive: busbar.isRunning(),
    counts,
  };
}

/** Measures at least once, and until that has happened: an abuser that did nothing shows nothing. */
async function measureUntil(happens: Promise<void>, measure: () => Promise<Sample>): Promise<Sample> {
  let isAwaited = true;
  const awaited = happens.finally(() => {
    isAwaited = false;
  });
  awaited.catch(() => {});
  let sample = await measure();
  while (isAwaited) sample = joined(sample, await measure());
  await awaited;
  return sample;
}

function joined(first: Sample, second: Sample): Sample {
  return {
    reads: [...first.reads, ...second.reads],
    commands: [...first.commands, ...second.commands],
    points: [...first.points, ...second.points],
    refused: [...first.refused, ...second.refused],
  };
}

function feltIn({ reads, commands, points }: Sample): Felt {
  const p99 = (times: readonly Latency[]): Latency => ({
    wall: percentile(
      times.map(({ wall }) => wall),
      0.99,
    ),
    net: percentile(
      times.map(({ net }) => net),
      0.99,
    ),
  });
  return { reads: p99(reads), commands: p99(commands), points: p99(points) };
}

/** Does it again and again until asked for what came of it. */
function repeat(everyMs: number, act: () => Promise<number>): () => Promise<readonly number[]> {
  const values: number[] = [];
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      values.push(await act());
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return async () => {
    isOver = true;
    await loop;
    return values;
  };
}
