// A year of energies of the demo site with costs, by months and by days, as the page asks for it: wall time and processor
// time of the whole server. Prints one JSON line; the baseline is the day of today, which reads a few hours.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "#client/create-client.ts";
import { startBusbar } from "../test/support/start-busbar.ts";

const ROUNDS = 7;
const GOAL_MS = 300;

const folder = mkdtempSync(join(tmpdir(), "busbar-bench-"));
const server = await startBusbar(folder, "--demo", "--data", folder);
try {
  const token = readFileSync(join(folder, "admin.token"), "utf8").trim();
  const client = createClient({ url: server.url, token });
  const { sites } = await client.sites.list({});
  const site = sites.find(({ name }) => name === "Demo site")?.id ?? "";
  // The history of the demo is complete when the log says so.
  while (!server.log.some((line) => line.includes("history is complete")))
    await new Promise((go) => setTimeout(go, 500));
  const to = new Date();
  const range = { from: new Date(to.getTime() - 365 * 86_400_000).toISOString(), to: to.toISOString(), costs: true };
  const asked = {
    year_by_months: { ...range, step: "month" },
    year_by_days: { ...range, step: "day" },
    today: { period: "today", costs: true },
  } as const;
  const figures: Record<string, { ms: number; processor_ms: number }> = {};
  for (const [name, query] of Object.entries(asked)) {
    figures[name] = await median(() => client.sites.energy(site, query));
  }
  const [months = Number.NaN, days = Number.NaN, today = Number.NaN] = Object.values(figures).map(({ ms }) => ms);
  const ratio = Number((Math.max(months, days) / today).toFixed(1));
  console.log(
    JSON.stringify({ bench: "energy", ...figures, ratio, goal_ms: GOAL_MS, meets: Math.max(months, days) < GOAL_MS }),
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The demo's own plant and scripts run meanwhile. */
async function median(task: () => Promise<unknown>): Promise<{ ms: number; processor_ms: number }> {
  const rounds: { ms: number; processor_ms: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [before, used] = [performance.now(), processorMs()];
    await task();
    rounds.push({ ms: Math.round(performance.now() - before), processor_ms: processorMs() - used });
  }
  return rounds.sort((a, b) => a.ms - b.ms)[ROUNDS >> 1] ?? { ms: Number.NaN, processor_ms: Number.NaN };
}

/** Of all threads of the server, as Linux counts it. */
function processorMs(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
