// What the machine says: memory of a process, and how late an idle process answers beside the abuse.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Resident memory of a process in MB; 0 where there is no /proc or no such process. */
export function memoryMB(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
    return (Number(kib) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

const NS_PER_MS = 1e6;

/** Milliseconds of a process so far, as the kernel counts them. */
export interface ProcessorTimes {
  /** What its main thread ran. */
  readonly ranMs: number;
  /** What each thread could have run and had no processor, by the thread's number. */
  readonly waitedMs: ReadonlyMap<string, number>;
}

/** With the waits of the main thread, or of all threads. Nothing where there is no /proc. */
export function processorTimes(pid: number, threads: "main" | "all" = "main"): ProcessorTimes {
  const read = (thread: string) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ").map(Number);
    } catch {
      return [];
    }
  };
  const main = `${pid}`;
  const waits = (threads === "main" ? [main] : threadsOf(pid)).map((thread): [string, number] => [
    thread,
    (read(thread)[1] ?? 0) / NS_PER_MS,
  ]);
  return { ranMs: (read(main)[0] ?? 0) / NS_PER_MS, waitedMs: new Map(waits) };
}

/** Thread by thread: one that has ended meanwhile took its whole count along, which is not what the others waited. */
export function waitedBetween(before: ProcessorTimes, after: ProcessorTimes): number {
  let ms = 0;
  for (const [thread, waited] of after.waitedMs) ms += Math.max(0, waited - (before.waitedMs.get(thread) ?? 0));
  return ms;
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** A process that only echoes. How late it answers is what the scheduler does to everybody. */
export interface Echo {
  /** Milliseconds from sending to hearing. */
  ping(): Promise<number>;
  close(): void;
}

export async function startEcho(): Promise<Echo> {
  const child: ChildProcess = fork(fileURLToPath(new URL("echo-process.ts", import.meta.url)), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const waiting = new Map<number, () => void>();
  let count = 0;
  child.on("message", (number: number) => {
    waiting.get(number)?.();
    waiting.delete(number);
  });
  await once(child, "message");
  return {
    ping() {
      const began = performance.now();
      count += 1;
      const number = count;
      return new Promise((resolve) => {
        waiting.set(number, () => resolve(performance.now() - began));
        child.send(number);
      });
    },
    close: () => void child.kill("SIGKILL"),
  };
}
