// Lint of a 2,000-line manifest against the YAML library's parsing of the same text, in the same run; then every hostile
// document. Prints one JSON line: times in milliseconds, ratio = lint / library.
import { LineCounter, parseDocument } from "yaml";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { HOSTILE } from "../test/manifest/hostile.ts";

const ROUNDS = 40;

function manifestOf(lines: number): string {
  const parts = [
    "blueprint_spec: device/3.0\ndisplay_name: Bench\nruntime:\n  type: lua\n  options:\n    file: main.lua\n",
    "command_groups:\n  main:\n    display_name: Main\ntelemetry:\n",
  ];
  for (let id = 0; id < (lines * 0.5) / 9; id += 1) {
    parts.push(
      `  attribute_${id}:\n    display_name: Attribute number ${id}\n    description: "What attribute ${id} means, in a few words."\n`,
      `    type: float\n    unit: kW\n    auto_scale: [W, kW, MW]\n    access_level: owner\n    aliases:\n      - old_attribute_${id}\n`,
    );
  }
  parts.push("commands:\n");
  for (let id = 0; id < (lines * 0.3) / 14; id += 1) {
    parts.push(
      `  command_${id}:\n    group: main\n    display_name: Command ${id}\n    ui:\n      icon: flash\n    arguments:\n      level:\n`,
      "        display_name: Level\n        type: integer\n        min: 0\n        max: 100\n        default: 50\n        unit: '%'\n        required: true\n",
    );
  }
  parts.push("alerts:\n");
  for (let id = 0; id < (lines * 0.2) / 7; id += 1) {
    parts.push(
      `  alert_${id}:\n    severity: warning\n    display_name: Alert ${id}\n    grace_period: 2m30s\n    description: >\n      A text that goes on\n      over two lines.\n`,
    );
  }
  return parts.join("");
}

function sorted(rounds: number, run: () => unknown): number[] {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const median = (times: readonly number[]): number => times[times.length >> 1] ?? Number.NaN;
const rounded = (value: number): number => Number(value.toFixed(2));

const text = manifestOf(2_000);
const { issues } = parseManifest(text);
if (issues.length > 0) throw new Error(`the bench manifest is not clean: ${issues[0]?.message}`);

const byLibrary = () => parseDocument(text, { uniqueKeys: false, lineCounter: new LineCounter() });
const lint = () => parseManifest(text);
for (const run of [byLibrary, lint]) sorted(20, run);
const lintTimes = sorted(ROUNDS, lint);
const libraryTimes = sorted(ROUNDS, byLibrary);

for (const { text: hostile } of HOSTILE) parseManifest(hostile);
globalThis.gc?.();
const heapBefore = process.memoryUsage().heapUsed;
// The best of five is what the code costs; the median also shows what else the machine had to do.
const hostile = HOSTILE.map(({ name, text: each }) => {
  const times = sorted(5, () => parseManifest(each));
  return { name, ms: times[0] ?? Number.NaN, median: median(times) };
});
globalThis.gc?.();
const heapAfter = process.memoryUsage().heapUsed;
const worst = hostile.reduce((a, b) => (b.ms > a.ms ? b : a));

console.log(
  JSON.stringify({
    bench: "blueprint",
    lines: text.split("\n").length,
    lint_ms: rounded(median(lintTimes)),
    library_ms: rounded(median(libraryTimes)),
    ratio: rounded(median(lintTimes) / median(libraryTimes)),
    hostile_documents: HOSTILE.length,
    hostile_worst_ms: rounded(worst.ms),
    hostile_worst: worst.name,
    hostile_worst_median_ms: rounded(Math.max(...hostile.map((each) => each.median))),
    // Without --expose-gc the figure includes garbage.
    hostile_heap_growth_mib: rounded((heapAfter - heapBefore) / 2 ** 20),
  }),
);
