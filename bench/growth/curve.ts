// A curve: what a number of something costs, measured at ever larger numbers.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Growth } from "./bend.ts";

export interface Curve {
  /** What is counted. */
  readonly of: string;
  /** All sizes that there are figures for, and the last one that is measured without `--to`. */
  readonly sizes: readonly number[];
  readonly to: number;
  /** How the figures of a point are expected to grow. Figures without an entry are only printed. */
  readonly growth: Readonly<Record<string, Growth>>;
  measure(sizes: readonly number[], run: CurveRun): Promise<void>;
}

interface CurveRun {
  /** An empty folder on a disk, which is removed afterwards. */
  readonly folder: string;
  point(size: number, figures: Figures): void;
  say(text: string): void;
}

export type Figures = Readonly<Record<string, number>>;

export interface Point {
  readonly size: number;
  readonly figures: Figures;
}

/** In the checkout, because a temporary folder may lie in memory, where a flush costs nothing. */
export const PARENT = fileURLToPath(new URL("../../.busbar/", import.meta.url));
export const EXAMPLE_DEVICE = join(fileURLToPath(new URL("../../examples/devices/", import.meta.url)), "manifest.yml");

export function round(value: number, places = 2): number {
  return Math.round(value * 10 ** places) / 10 ** places;
}

export function rest(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
