// How costs grow with what there is: devices, years of a series, attributes of a device, queries at once, stored executions and
// gateways. Each point prints a row on stderr when it is measured. The JSON line at the end has all points, and says of each
// figure where it bends: the first size at which a unit costs 1.5 times as much as at any smaller one. Processor time, counts
// and bytes are the measures; times by the clock are printed beside them.
//   npm run bench -- growth [devices simulated years attributes queries executions gateways] [--to 10000] [--sizes 10,100]
// Without names all curves are measured, each to an end that keeps the whole within ten minutes. `--to` goes on to a larger
// size (or ends at a smaller one), and `--sizes` names the sizes.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { attributesCurve } from "./growth/attributes.ts";
import { findBend } from "./growth/bend.ts";
import { type Curve, PARENT, type Point, round } from "./growth/curve.ts";
import { devicesCurve, runDeviceProcess } from "./growth/devices.ts";
import { executionsCurve } from "./growth/executions.ts";
import { gatewaysCurve } from "./growth/gateways.ts";
import { queriesCurve } from "./growth/queries.ts";
import { simulatedCurve } from "./growth/simulated.ts";
import { yearsCurve } from "./growth/years.ts";

const CURVES: Readonly<Record<string, Curve>> = {
  devices: devicesCurve,
  simulated: simulatedCurve,
  years: yearsCurve,
  attributes: attributesCurve,
  queries: queriesCurve,
  executions: executionsCurve,
  gateways: gatewaysCurve,
};

if (process.argv[2] === "device-process") runDeviceProcess();
else await measureAll();

async function measureAll(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { to: { type: "string" }, sizes: { type: "string" } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(CURVES);
  const curves: Record<string, object> = {};
  for (const name of names) {
    const curve = CURVES[name];
    if (curve === undefined) throw new Error(`there is no curve ${name}; there are: ${Object.keys(CURVES).join(", ")}`);
    const sizes = values.sizes?.split(",").map(Number) ?? sizesOf(curve, Number(values.to ?? curve.to));
    curves[name] = await measureCurve(name, curve, sizes);
  }
  const machine = { cores: cpus().length, load: round(loadavg()[0] ?? 0) };
  console.log(JSON.stringify({ bench: "growth", ...machine, curves }));
}

/** With the end itself, where it is none of the sizes. */
function sizesOf({ sizes }: Curve, to: number): readonly number[] {
  return [...sizes.filter((size) => size < to), to];
}

async function measureCurve(name: string, curve: Curve, sizes: readonly number[]): Promise<object> {
  mkdirSync(PARENT, { recursive: true });
  const folder = mkdtempSync(join(PARENT, `bench-growth-${name}-`));
  const points: Point[] = [];
  const begun = performance.now();
  say(`\n${name}: ${sizes.join(", ")} ${curve.of}`);
  try {
    await curve.measure(sizes, {
      folder,
      say,
      point(size, figures) {
        points.push({ size, figures });
        say(row(size, curve.of, figures));
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const bends = Object.fromEntries(
    Object.entries(curve.growth).map(([figure, growth]) => {
      const own = points.flatMap(({ size, figures }) => {
        const value = figures[figure];
        return value === undefined ? [] : [{ size, value }];
      });
      return [figure, findBend(own, growth)];
    }),
  );
  for (const [figure, { ratio, shape }] of Object.entries(bends)) say(`  ${figure}: ${shape} (x ${ratio})`);
  return { of: curve.of, seconds: Math.round((performance.now() - begun) / 1_000), points, bends };
}

function row(size: number, of: string, figures: Point["figures"]): string {
  const cells = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  return `${size} ${of}: ${cells.join(", ")}`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
