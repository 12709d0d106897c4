// The power from the grid in each quarter of an hour, of two weeks one above the other. Readable on light and dark pages: the colours
// follow the reader's scheme.
import type { Quarter } from "../../test/support/plant-loop.ts";

interface Weeks {
  readonly from: number;
  readonly without: readonly Quarter[];
  readonly withRules: readonly Quarter[];
}

const [WIDTH, HEIGHT, LEFT, GAP, TOP] = [860, 150, 52, 62, 40];
const DAY_MS = 86_400_000;
const NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #57606a; }
.title { font-weight: 600; fill: #24292f; }
.grid { stroke: #d0d7de; }
.import { fill: #cf6a17; }
.peak { stroke: #cf222e; stroke-dasharray: 5 4; }
@media (prefers-color-scheme: dark) {
text { fill: #9198a1; }
.title { fill: #f0f6fc; }
.grid { stroke: #3d444d; }
.import { fill: #f0883e; }
.peak { stroke: #ff7b72; }
}`;

export function drawWeek({ from, without, withRules }: Weeks): string {
  const most = Math.max(...[...without, ...withRules].map(({ importW }) => importW));
  const scale = { from, top: Math.ceil(most / 4_000) * 4_000, ms: without.length * 900_000 };
  const height = TOP + 2 * HEIGHT + GAP + 34;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 12} ${height}" role="img">`,
    "<title>Power from the grid in each quarter of an hour of a week, without and with two controllers</title>",
    `<style>${STYLE}</style>`,
    ...panel("Without rules", without, { ...scale, y: TOP }),
    ...panel("Surplus charging and peak limit", withRules, { ...scale, y: TOP + HEIGHT + GAP }),
    ...days(scale, TOP + 2 * HEIGHT + GAP + 20),
    "</svg>\n",
  ].join("\n");
}

interface Scale {
  readonly from: number;
  readonly ms: number;
  /** W at the upper edge. */
  readonly top: number;
}

function panel(title: string, quarters: readonly Quarter[], { y, ...scale }: Scale & { readonly y: number }): string[] {
  const peak = Math.max(...quarters.map(({ importW }) => importW));
  const at = (watts: number) => round(y + HEIGHT - (Math.min(watts, scale.top) / scale.top) * HEIGHT);
  const lines = Array.from({ length: scale.top / 4_000 + 1 }, (_, n) => n * 4_000);
  return [
    `<text class="title" x="${LEFT}" y="${y - 14}">${title}: at most ${(peak / 1_000).toFixed(1)} kW in a quarter of an hour</text>`,
    ...lines.flatMap((watts) => [
      `<line class="grid" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${at(watts)}" y2="${at(watts)}"/>`,
      `<text x="${LEFT - 8}" y="${at(watts) + 4}" text-anchor="end">${watts / 1_000} kW</text>`,
    ]),
    `<path class="import" d="${area(quarters, scale, at)}"/>`,
    `<line class="peak" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${at(peak)}" y2="${at(peak)}"/>`,
  ];
}

function area(quarters: readonly Quarter[], scale: Scale, at: (watts: number) => number): string {
  const width = round(WIDTH / quarters.length);
  const steps = quarters.map(({ at: end, importW }) => `L${xOf(scale, end - 900_000)} ${at(importW)}h${width}`);
  return `M${LEFT} ${at(0)}${steps.join("")}V${at(0)}Z`;
}

const xOf = ({ from, ms }: Scale, at: number): number => round(LEFT + ((at - from) / ms) * WIDTH);

function days(scale: Scale, y: number): string[] {
  return Array.from({ length: Math.round(scale.ms / DAY_MS) }, (_, n) => {
    const noon = scale.from + (n + 0.5) * DAY_MS;
    return `<text x="${xOf(scale, noon)}" y="${y}" text-anchor="middle">${NAMES[new Date(noon).getUTCDay()]}</text>`;
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;
