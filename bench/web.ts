// What the web page costs in a real Chromium. `npm run bench -- web [explore] [paint] [live] [energy]` runs some parts or all.
// Each part is a file of bench/web and prints a line of JSON of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { buildPage, openBrowser } from "./web/browser.ts";
import { measureEnergy } from "./web/energy.ts";
import { measureExplore } from "./web/explore.ts";
import { measureLive } from "./web/live.ts";
import { measurePaint } from "./web/paint.ts";

const PARTS = { explore: measureExplore, paint: measurePaint, live: measureLive, energy: measureEnergy } as const;

const names = Object.keys(PARTS) as (keyof typeof PARTS)[];
const words = process.argv.slice(2);
const unknown = words.filter((word) => !names.some((name) => name === word));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(", ")}; there are ${names.join(", ")}`);

buildPage();
for (const name of names.filter((one) => words.length === 0 || words.includes(one))) {
  const folder = mkdtempSync(join(tmpdir(), "busbar-bench-"));
  const browser = await openBrowser();
  try {
    const figures = await PARTS[name](folder, browser);
    console.log(JSON.stringify({ bench: `web ${name}`, ...figures, load: Number((loadavg()[0] ?? 0).toFixed(1)) }));
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
