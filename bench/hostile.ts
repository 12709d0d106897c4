// What do others notice while one neighbour abuses the gateway? Runs each abuse of test/hostile beside reads, commands
// and points of an honest neighbour, and compares with the current goals. `npm run bench -- hostile [seconds] [words of
// names]`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ABUSES } from "../test/hostile/abuses.ts";
import { type Gateway, startGateway } from "../test/hostile/gateway.ts";
import { strictFaults, TABLE_HEAD, tableLine, tolerantFaults } from "../test/hostile/judge.ts";
import { startEcho } from "../test/hostile/machine.ts";
import { type Figures, runAbuse } from "../test/hostile/run-abuse.ts";

const DEFAULT_SECONDS = 5;
const [seconds = `${DEFAULT_SECONDS}`, ...words] = process.argv.slice(2);
const abuseMs = Number(seconds) * 1_000;
const chosen = ABUSES.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

const folders: string[] = [];
async function openGateway(): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "busbar-hostile-"));
  folders.push(folder);
  return await startGateway(folder);
}

const echo = await startEcho();
let gateway = await openGateway();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void gateway.close().finally(() => process.exit(1)));
}
const all: Figures[] = [];
console.error(TABLE_HEAD);
for (const abuse of chosen) {
  const figures = await runAbuse({ gateway, echo, calmMs: 500, abuseMs }, abuse).catch((error: Error) => {
    console.error(`FAIL ${abuse.name}: ${error.message}`);
  });
  if (figures !== undefined) {
    all.push(figures);
    console.error(`${tableLine(figures, strictFaults(figures))}\n       ${JSON.stringify(figures.counts)}`);
  }
  if (figures !== undefined && tolerantFaults(figures).length === 0) continue;
  await gateway.close();
  gateway = await openGateway();
}
const readyMs = Math.round(await gateway.restart());
await gateway.close();
echo.close();
for (const folder of folders) rmSync(folder, { recursive: true, force: true });

const worst = (value: (figures: Figures) => number) => Math.round(Math.max(...all.map(value)));
console.log(
  JSON.stringify({
    bench: "hostile",
    abuses: chosen.length,
    unharmed: all.filter((figures) => strictFaults(figures).length === 0).length,
    unharmedOnAnIdleMachine: all.filter((figures) => tolerantFaults(figures).length === 0).length,
    worstReadsP99Ms: worst(({ felt }) => felt.reads.wall),
    worstCommandsP99Ms: worst(({ felt }) => felt.commands.wall),
    worstPointsP99Ms: worst(({ felt }) => felt.points.wall),
    worstMemoryMB: worst(({ memoryMB }) => memoryMB),
    worstNoiseMs: worst(({ noiseMs }) => noiseMs),
    acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    missing: all.reduce((sum, { missing }) => sum + missing.length, 0),
    readyMs,
    harmed: all
      .filter((figures) => tolerantFaults(figures).length > 0)
      .map((figures) => ({ abuse: figures.abuse, faults: tolerantFaults(figures) })),
  }),
);
