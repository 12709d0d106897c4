// What do others notice while one neighbour abuses the gateway? Runs each abuse of test/hostile beside reads, commands
// and points of an honest neighbour, and compares with the current goals. `npm run bench -- hostile [seconds] [words of
// names]`.
import { createAbusers } from "../test/hostile/abuser.ts";
import { ABUSES } from "../test/hostile/abuses.ts";
import { createGateways } from "../test/hostile/gateways.ts";
import { strictFaults, TABLE_HEAD, tableLine, tolerantFaults } from "../test/hostile/judge.ts";
import { startEcho } from "../test/hostile/machine.ts";
import { type Figures, runAbuse } from "../test/hostile/run-abuse.ts";

const DEFAULT_SECONDS = 5;
const [seconds = `${DEFAULT_SECONDS}`, ...words] = process.argv.slice(2);
const abuseMs = Number(seconds) * 1_000;
const chosen = ABUSES.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

const echo = await startEcho();
const gateways = createGateways();
const abusers = createAbusers();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void gateways.close().finally(() => process.exit(1)));
}
const all: Figures[] = [];
console.error(TABLE_HEAD);
for (const abuse of chosen) {
  const gateway = await gateways.get(abuse.role);
  const figures = await runAbuse({ gateway, abusers, echo, calmMs: 500, abuseMs }, abuse).catch((error: Error) => {
    console.error(`FAIL ${abuse.name}: ${error.message}`);
  });
  if (figures !== undefined) {
    all.push(figures);
    console.error(`${tableLine(figures, strictFaults(figures))}\n       ${JSON.stringify(figures.counts)}`);
  }
  if (figures === undefined || tolerantFaults(figures).length > 0) await gateways.giveUp();
}
const readyMs = Math.round(await (await gateways.get(chosen.at(-1)?.role)).restart());
await gateways.close();
abusers.close();
echo.close();

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
