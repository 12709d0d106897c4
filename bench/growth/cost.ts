// What a call costs the gateway, however busy the machine is: processor time of all its threads.
import { cpuSeconds, percentile } from "../commands/machine.ts";

export interface Cost {
  readonly cpuMs: number;
  /** By the clock: on a busy machine it says little. */
  readonly p50Ms: number;
}

/** The clock of the system has ticks of 10 ms: so much is measured to a few per cent. */
const ENOUGH_CPU_S = 0.2;
const LEAST_CALLS = 8;
const MOST_CALLS = 2_000;
const WARM_UP = 3;

interface Asked {
  readonly pid: number | undefined;
}

export async function costOf({ pid = 0 }: Asked, ask: (call: number) => Promise<unknown>): Promise<Cost> {
  for (let call = 0; call < WARM_UP; call++) await ask(call);
  const times: number[] = [];
  const before = cpuSeconds(pid);
  while (times.length < MOST_CALLS) {
    const began = performance.now();
    await ask(WARM_UP + times.length);
    times.push(performance.now() - began);
    if (times.length >= LEAST_CALLS && cpuSeconds(pid) - before > ENOUGH_CPU_S) break;
  }
  const cpuMs = ((cpuSeconds(pid) - before) * 1_000) / times.length;
  return { cpuMs: significant(cpuMs), p50Ms: significant(percentile(times, 0.5)) };
}

export function significant(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(3));
}
