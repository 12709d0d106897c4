// Years of a series with a value a second: queries of the whole and of a part, bytes, and the start beside so much. Kept buckets
// are off, so that each answer is computed anew.

import { cpuSeconds } from "../commands/machine.ts";
import {
  type Busbar,
  fileBytes,
  loadSeries,
  prepareSite,
  type Site,
  startBusbar,
  telemetryFile,
} from "../telemetry/busbar.ts";
import { DAY, END, HOUR, MINUTE } from "../telemetry/data.ts";
import type { Question } from "../telemetry/engine.ts";
import { costOf } from "./cost.ts";
import { type Curve, type Figures, round } from "./curve.ts";

const DAYS_OF_YEAR = 365;
const MIB = 1024 * 1024;

export const yearsCurve: Curve = {
  of: "years of a value a second",
  sizes: [1, 2, 5, 10],
  to: 5,
  growth: {
    file_mib: { with: "size", noise: 2 },
    load_cpu_us_per_1000_points: { with: "nothing", noise: 20 },
    start_cpu_s: { with: "nothing", noise: 0.2 },
    memory_mib: { with: "nothing", noise: 40 },
    all_by_day_cpu_ms: { with: "size", noise: 0.5 },
    all_by_hour_cpu_ms: { with: "size", noise: 2 },
    year_by_day_cpu_ms: { with: "nothing", noise: 0.5 },
    month_cpu_ms: { with: "nothing", noise: 1 },
    last_day_cpu_ms: { with: "nothing", noise: 0.5 },
    first_day_cpu_ms: { with: "nothing", noise: 0.5 },
    latest_cpu_ms: { with: "nothing", noise: 0.3 },
  },
  async measure(sizes, { folder, point, say }) {
    const site = await prepareSite(folder, { devices: 0, hours: 1, days: 1 });
    let daysBefore = 0;
    for (const years of sizes) {
      const days = years * DAYS_OF_YEAR;
      const size = { devices: 0, hours: 1, days, daysBefore };
      const loaded = await loadSeries("all", telemetryFile(site), { devices: site.devices, size });
      daysBefore = days;
      say(`${years} years are loaded`);
      const busbar = await startBusbar(site, { bucketCacheMb: 0 });
      const start_cpu_s = cpuSeconds(busbar.pid ?? 0);
      try {
        point(years, {
          file_mib: round(fileBytes(telemetryFile(site)).used / MIB),
          load_cpu_us_per_1000_points: Math.round((loaded.cpuSeconds * 1e9) / loaded.points),
          start_cpu_s,
          start_ms: Math.round(busbar.startMs),
          ...(await measureQueries(busbar, site, days)),
        });
      } finally {
        await busbar.stop();
      }
    }
  },
};

async function measureQueries(busbar: Busbar, site: Site, days: number): Promise<Figures> {
  const all = END - days * DAY;
  const questions = {
    all_by_day: question(all, END, DAY),
    all_by_hour: question(all, END, HOUR),
    year_by_day: question(END - DAYS_OF_YEAR * DAY, END, DAY),
    month: question(END - 30 * DAY, END, 10 * MINUTE),
    last_day: question(END - DAY, END, MINUTE),
    first_day: question(all, all + DAY, MINUTE),
  };
  const figures: Record<string, number> = {};
  for (const [name, asked] of Object.entries(questions)) {
    const { cpuMs, p50Ms } = await costOf(busbar, () => busbar.ask(asked, false));
    figures[`${name}_cpu_ms`] = cpuMs;
    figures[`${name}_p50_ms`] = p50Ms;
  }
  const latest = `/v3/telemetry/latest?devices[${site.devices[0]}]=power`;
  figures["latest_cpu_ms"] = (await costOf(busbar, () => busbar.get(latest))).cpuMs;
  return { ...figures, memory_mib: Math.round(busbar.memory() / MIB) };
}

function question(from: number, to: number, granularity: number): Question {
  const name = `${from} to ${to}`;
  return { name, devices: ["year"], attributes: ["power"], aggregation: "avg", fill: false, from, to, granularity };
}
