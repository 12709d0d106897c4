// What is wrong with what a neighbour felt: by the goals as they stand, or as far as a busy machine can show.
import type { Felt, Figures } from "./run-abuse.ts";

/** What a neighbour may rely on. A point is acknowledged by the same disk as a command. */
const GOALS: Readonly<Record<keyof Felt, number>> = { reads: 100, commands: 500, points: 500 };
const MEMORY_GOAL_MB = 400;

/** A calm run on the same machine may take this much longer before it counts. */
const SLACK = 4;

/** A processor that is shared with others takes longer for the same work, and the kernel counts that as work. */
const SLOWER = 3;

/** Everything that a neighbour was promised and did not get. */
export function strictFaults(figures: Figures): readonly string[] {
  const times = kinds().flatMap((kind) => above(`${kind} p99`, figures.felt[kind].wall, GOALS[kind], "ms"));
  return [...times, ...certainFaults(figures)];
}

/** What cannot be the doing of anything else on this machine: times that an idle one would take too. */
export function tolerantFaults(figures: Figures): readonly string[] {
  const times = kinds().flatMap((kind) => {
    const goal = Math.max(SLOWER * GOALS[kind], SLACK * figures.calm[kind].net);
    return above(`${kind} p99 on an idle machine`, figures.felt[kind].net, goal, "ms");
  });
  return [...times, ...certainFaults(figures)];
}

function certainFaults({ memoryMB, refused, missing, isAlive, counts }: Figures): readonly string[] {
  return [
    ...(isAlive ? [] : ["the process ended"]),
    ...(Object.keys(counts).length > 0 ? [] : ["the abuser did nothing"]),
    ...above("memory", memoryMB, MEMORY_GOAL_MB, "MB"),
    ...(refused.length === 0 ? [] : [`${refused.length} refused, such as: ${refused[0]}`]),
    ...(missing.length === 0 ? [] : [`${missing.length} acknowledged and missing, such as: ${missing[0]}`]),
  ];
}

const kinds = () => Object.keys(GOALS) as (keyof Felt)[];

function above(what: string, value: number, goal: number, unit: string): readonly string[] {
  return value > goal ? [`${what}: ${Math.round(value)} ${unit}, at most ${Math.round(goal)}`] : [];
}

export const TABLE_HEAD = `     reads p99     commands       points          MB  calm  noise  abuse (milliseconds; in brackets what an idle machine would take at least)`;

export function tableLine({ abuse, felt, calm, noiseMs, memoryMB }: Figures, faults: readonly string[]): string {
  const pair = (kind: keyof Felt) => `${whole(felt[kind].wall, 7)} ${`(${Math.round(felt[kind].net)})`.padEnd(7)}`;
  const figures = `${pair("reads")}${pair("commands")}${pair("points")}${whole(memoryMB, 4)}${whole(calm.reads.wall, 6)}${whole(noiseMs, 7)}`;
  return `${faults.length === 0 ? "ok  " : "HARM"}${figures}  ${abuse}${faults.map((fault) => `\n       ${fault.slice(0, 400)}`).join("")}`;
}

const whole = (value: number, width: number) => `${Math.round(value)}`.padStart(width);
