// The timelines that a node has seen, in its data folder: after a restart it still knows an old primary.
//
// Invariants: lines are only added, so threads that write at the same moment take nothing from each other. A line that was cut
// off names an earlier timeline than it was meant to, or none.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { flushFolder } from "#store/write-secret-file.ts";

export interface KeptTimelines {
  readonly file: string;
  /** The highest timeline of each system. */
  read(): Map<string, number>;
  /** It is on the disk when this returns. */
  add(system: string, timeline: number): void;
}

const LINE = /^(\d{1,20}) (\d{1,10})$/;
const keyOf = (url: string) => `timelines of ${url}`;

/** For all connections to the address that this thread, and threads that it starts from now on, open. */
export function keepTimelines(url: string, file: string): void {
  setEnvironmentData(keyOf(url), file);
}

/** Undefined for a program that is no node, and for a copy. */
export function keptTimelinesOf(url: string): KeptTimelines | undefined {
  const file = getEnvironmentData(keyOf(url));
  return typeof file === "string" ? timelinesIn(file) : undefined;
}

export function timelinesIn(file: string): KeptTimelines {
  return {
    file,
    read() {
      const highest = new Map<string, number>();
      if (!existsSync(file)) return highest;
      for (const line of readFileSync(file, "utf8").split("\n")) {
        const [, system, timeline] = LINE.exec(line) ?? [];
        if (system === undefined) continue;
        highest.set(system, Math.max(highest.get(system) ?? 0, Number(timeline)));
      }
      return highest;
    },
    add(system, timeline) {
      const handle = openSync(file, "a", 0o600);
      try {
        writeSync(handle, `\n${system} ${timeline}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      flushFolder(dirname(file));
    },
  };
}
