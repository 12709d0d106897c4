// Energies and costs of a whole year against a plain reference, cell by cell: clock changes, gaps, counters that restart or
// are corrected, prices with gaps and negative ones, and a tariff that changes within the year.
import { expect, test } from "vitest";
import type { SiteEnergy } from "#client/resources.ts";
import {
  baseNaively,
  costsNaively,
  localTime,
  type NaiveRule,
  type NaiveTariff,
  type NaiveVersion,
  peakNaively,
  type Quarter,
  WEEKDAYS,
} from "../support/naive-costs.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG } from "../support/rounds.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const QUARTER = 900_000;
const HOUR = 3_600_000;
const YEAR = 2025;

const METER = `blueprint_spec: device/3.0
display_name: Meter
category: power-meters
implements: [energy.meter.grid]
runtime: {type: embedded}
telemetry:
  grid_power: {type: float, unit: W, display_name: Power}
  grid_energy_import: {type: float, unit: kWh, display_name: Import}
  grid_energy_export: {type: float, unit: kWh, display_name: Export}
`;

interface Point {
  readonly at: number;
  /** Tenths of a Wh. */
  readonly imported: number;
  readonly exported: number;
  readonly power: number;
}

/** A point for each quarter of an hour, some missing. The import counter restarts, dips, jumps and is replaced. */
function makePoints(random: () => number, from: number, to: number): readonly Point[] {
  const points: Point[] = [];
  let [imported, exported, silentUntil] = [5_000_000, 800_000, 0];
  const count = Math.round((to - from) / QUARTER);
  const at = { restart: Math.floor(count * 0.3), jump: Math.floor(count * 0.55), swap: Math.floor(count * 0.8) };
  for (let n = 0; n < count; n++) {
    imported += random() < 0.3 ? 0 : Math.floor(random() * 30_000);
    exported += random() < 0.5 ? 0 : Math.floor(random() * 20_000);
    if (n === at.restart) imported = 17;
    if (n === at.jump) imported += 200_000_000;
    if (n === at.swap) imported = Math.floor(imported / 2);
    if (n === Math.floor(count / 2)) exported = 0;
    if (random() < 0.001) silentUntil = n + Math.floor(random() * 200);
    const isNearStep = Object.values(at).some((step) => Math.abs(n - step) < 20);
    if (n < silentUntil && !isNearStep) continue;
    // A dip that is measurement only.
    const dip = random() < 0.01 && !isNearStep ? 3 : 0;
    const power = Math.round(random() * 90_000) / 10 - 2_000;
    points.push({
      at: from + n * QUARTER + Math.floor(random() * 800) * 1_000,
      imported: imported - dip,
      exported,
      power,
    });
  }
  return points;
}

/** What the points of each quarter count, in mWh. Corrections by the place of the point. */
function countNaively(
  points: readonly Point[],
  value: (point: Point) => number,
  corrections: ReadonlyMap<number, number> = new Map(),
): Map<number, number> {
  const quarters = new Map<number, number>();
  let restart = 0;
  for (const [i, point] of points.entries()) {
    const before = points[i - 1];
    let counted = 0;
    if (before !== undefined) {
      if (value(point) < value(before) && value(point) <= value(before) * 0.1) {
        restart = i;
        counted = value(point);
      } else {
        let level = value(before);
        for (let n = i - 1; n >= restart && (points[n]?.at ?? 0) > point.at - HOUR; n--) {
          level = Math.max(level, value(points[n] ?? point));
        }
        counted = Math.max(0, value(point) - level);
      }
    }
    const quarter = Math.floor(point.at / QUARTER) * QUARTER;
    quarters.set(quarter, (quarters.get(quarter) ?? 0) + (corrections.get(i) ?? counted) * 100);
  }
  return quarters;
}

function randomRule(random: () => number): NaiveRule {
  const price = () => Math.round((random() - 0.2) * 1e6) / 1e6;
  const kind = random();
  if (kind < 0.25) return { type: "fixed", price: price() };
  if (kind < 0.55)
    return { type: "prices", add: Math.round(random() * 1e5) / 1e6, factor: 1 + Math.round(random() * 30) / 100 };
  const time = () => {
    const quarter = Math.floor(random() * 96);
    return `${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}`;
  };
  const rates = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, n) => {
    const [from, to] = [time(), time()];
    const weekdays = WEEKDAYS.filter(() => random() < 0.5);
    const months = Array.from({ length: 12 }, (_unused, month) => month + 1).filter(() => random() < 0.6);
    return {
      name: `rate ${n}`,
      price: price(),
      ...(from !== to && random() < 0.8 && { from, to }),
      ...(weekdays.length > 0 && random() < 0.6 && { weekdays }),
      ...(months.length > 0 && random() < 0.4 && { months }),
    };
  });
  return { type: "time_of_use", rates, default: { name: "default", price: price() } };
}

function randomVersions(random: () => number): readonly NaiveVersion[] {
  const dates = [undefined, `${YEAR}-04-05`, `${YEAR}-10-20`];
  const isLate = random() < 0.3;
  return dates.slice(isLate ? 1 : 0).map((valid_from) => ({
    ...(valid_from !== undefined && { valid_from }),
    import: randomRule(random),
    ...(random() < 0.8 && { export: randomRule(random) }),
    ...(random() < 0.8 && {
      base: {
        amount: Math.round(random() * 1e4) / 100,
        per: (["day", "month", "year"] as const)[Math.floor(random() * 3)] ?? "day",
      },
    }),
    ...(random() < 0.7 && {
      peak: { amount: Math.round(random() * 2_000) / 100, per: random() < 0.5 ? "month" : "year" } as const,
    }),
    co2: random() < 0.5 ? { type: "series" } : { type: "fixed", grams: Math.round(random() * 5e5) / 1e3 },
  }));
}

/** Prices by the hour or quarter of an hour, some missing. */
function randomPrices(random: () => number, from: number, to: number): Map<number, number> {
  const prices = new Map<number, number>();
  for (let at = from; at < to; at += HOUR) {
    if (random() < 0.02) continue;
    const isFine = random() < 0.1;
    const hour = Math.round((random() - 0.15) * 4e5) / 1e6;
    for (let n = 0; n < 4; n++) prices.set(at + n * QUARTER, isFine ? Math.round(random() * 4e5) / 1e6 : hour);
  }
  return prices;
}

const ask = async <Body>(method: "POST" | "PUT" | "GET", path: string, json?: unknown) => {
  const { status, body, errors } = await busbar.admin.call<Body>(method, path, json === undefined ? {} : { json });
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(errors).slice(0, 500)}`);
  return body;
};

async function makeSite(timezone: string, points: readonly Point[]) {
  const { site } = await ask<{ site: { id: string } }>("POST", "/v3/sites", { name: timezone, timezone });
  const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: METER,
  });
  const wanted = { name: "meter", slug: "meter", site_id: site.id, blueprint_id: uploaded.body.blueprint.id };
  const { device_id } = await ask<{ device_id: string }>("POST", "/v3/provisioning/standalone", wanted);
  const lines = points.map(
    ({ at, imported, exported, power }) => `${at / 1_000},${imported / 1e4},${exported / 1e4},${power}`,
  );
  const header = "ts,telemetry=grid_energy_import,telemetry=grid_energy_export,telemetry=grid_power";
  const csv = [header, ...lines].join("\n");
  const loaded = await busbar.admin.call("POST", `/v3/devices/${device_id}/telemetry/import`, {
    bytes: csv,
    headers: { "Content-Type": "text/csv" },
  });
  expect(loaded.body).toMatchObject({ problem_count: 0 });
  return { siteId: site.id, deviceId: device_id };
}

async function putPrices(siteId: string, kind: string, prices: ReadonlyMap<number, number>): Promise<void> {
  const rows = [...prices].map(([at, price]) => ({ from: new Date(at).toISOString(), price }));
  for (let n = 0; n < rows.length; n += 4_000) {
    await ask("PUT", `/v3/sites/${siteId}/prices/${kind}`, { duration: "15m", prices: rows.slice(n, n + 4_000) });
  }
}

/** The rise that was wrong counts nothing, and the new counter began 12.5 kWh below its first value. */
async function correct(deviceId: string, points: readonly Point[]): Promise<ReadonlyMap<number, number>> {
  const corrections = new Map<number, number>();
  for (const [i, point] of points.entries()) {
    const rise = point.imported - (points[i - 1]?.imported ?? point.imported);
    const isFall = rise < -1_000_000 && point.imported > 1_000;
    if (rise < 100_000_000 && !isFall) continue;
    const kind = isFall
      ? { kind: "counter_replaced", new_start: (point.imported - 125_000) / 1e4 }
      : { kind: "value_wrong" };
    const body = { attribute: "grid_energy_import", at: new Date(point.at).toISOString(), ...kind };
    await ask("POST", `/v3/devices/${deviceId}/counter_corrections`, body);
    corrections.set(i, isFall ? 125_000 : 0);
  }
  expect(corrections.size).toBe(2);
  return corrections;
}

/** The groups of quarters that a step is. */
const KEYS: Readonly<Record<string, (quarter: Quarter) => string>> = {
  quarter_hour: ({ at }) => String(at),
  hour: ({ local: { date, hour, offset } }) => `${date} ${hour} ${offset}`,
  day: ({ local }) => local.date,
  week: ({ local: { date } }) => {
    const day = Date.parse(date);
    return String(day - ((new Date(day).getUTCDay() + 6) % 7) * 86_400_000);
  },
  month: ({ local }) => local.date.slice(0, 7),
  year: ({ local }) => local.date.slice(0, 4),
};

const known = (quarters: readonly Quarter[], field: "imported" | "exported") => {
  const values = quarters.flatMap((one) => one[field] ?? []);
  return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / 1_000;
};

function expectSame(
  energy: SiteEnergy,
  tariff: NaiveTariff,
  { quarters, unit }: { quarters: readonly Quarter[]; unit: string },
) {
  const steps = [...Map.groupBy(quarters, KEYS[unit] ?? String).values()].map((own) => ({
    from: new Date(own[0]?.at ?? 0).toISOString(),
    to: new Date((own.at(-1)?.at ?? 0) + QUARTER).toISOString(),
    from_grid: known(own, "imported"),
    to_grid: known(own, "exported"),
    costs: costsNaively(tariff, own),
  }));
  expect(
    energy.steps?.map(({ from, to, from_grid, to_grid, costs }) => ({ from, to, from_grid, to_grid, costs })),
  ).toEqual(steps);
  const whole = costsNaively(tariff, quarters);
  const { net, ...amounts } = whole;
  expect(energy.costs).toMatchObject({ ...amounts, net_energy: net });
  expect([energy.total.from_grid, energy.total.to_grid]).toEqual([
    known(quarters, "imported"),
    known(quarters, "exported"),
  ]);
  const dates = [
    ...new Set(quarters.filter(({ local }) => local.hour === 0 && local.minute === 0).map(({ local }) => local.date)),
  ];
  expect(energy.costs?.base).toEqual(baseNaively(tariff, dates));
}

const CASES = IS_LONG
  ? ["Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns"].flatMap((zone) =>
      [1, 2, 3, 4, 5].map((seed) => [zone, seed] as const),
    )
  : ([
      ["Europe/Berlin", 1],
      ["Australia/Lord_Howe", 2],
    ] as const);

test.each(CASES)("a year in %s equals the reference, cell by cell (seed %i)", async (timezone, seed) => {
  const random = randomFrom(seed);
  // Quarters whose local date is of the year.
  const all = Array.from({ length: 370 * 96 }, (_, n) => Date.UTC(YEAR, 0, 1) - 24 * HOUR + n * QUARTER);
  const year = all.filter((at) => localTime(at, timezone).date.startsWith(String(YEAR)));
  const [from, to] = [year[0] ?? 0, (year.at(-1) ?? 0) + QUARTER];
  const points = makePoints(random, from - 2 * HOUR, to);
  const { siteId, deviceId } = await makeSite(timezone, points);
  const corrections = await correct(deviceId, points);
  const imported = countNaively(points, (point) => point.imported, corrections);
  const exported = countNaively(points, (point) => point.exported);
  const powers = new Map(points.map(({ at, power }) => [Math.floor(at / QUARTER) * QUARTER, power]));
  const quarters = year.map((at): Quarter => {
    const local = localTime(at, timezone);
    return { at, local, imported: imported.get(at), exported: exported.get(at), power: powers.get(at) };
  });
  const prices = {
    import: randomPrices(random, from, to),
    export: randomPrices(random, from, to),
    co2: new Map<number, number>(),
  };
  for (const [at, price] of randomPrices(random, from, to)) prices.co2.set(at, Math.round(Math.abs(price) * 1e6) / 1e3);
  for (const kind of ["import", "export", "co2"] as const) await putPrices(siteId, kind, prices[kind]);
  const read = async (query: string) =>
    (await ask<{ energy: SiteEnergy }>("GET", `/v3/sites/${siteId}/energy?costs=true&${query}`)).energy;

  for (let round = 0; round < (IS_LONG ? 6 : 1); round++) {
    const versions = randomVersions(random);
    await ask("PUT", `/v3/sites/${siteId}/tariff`, { currency: "EUR", versions });
    const tariff = { versions, prices };
    for (const unit of ["year", "month", "week", "day"]) {
      const energy = await read(`period=${YEAR}&step=${unit}`);
      expectSame(energy, tariff, { quarters, unit });
      const peaks = [peakNaively(tariff, quarters, "month"), peakNaively(tariff, quarters, "year")];
      expect(Math.round((energy.costs?.peak ?? 0) * 1e6)).toBe(
        peaks.reduce((sum, one) => sum + Math.round(one * 1e6), 0),
      );
    }
    // The months with the clock changes by the hour, and their days by the quarter of an hour.
    for (const month of ["03", "04", "10"]) {
      const own = quarters.filter(({ local }) => local.date.startsWith(`${YEAR}-${month}`));
      expectSame(await read(`period=${YEAR}-${month}&step=hour`), tariff, { quarters: own, unit: "hour" });
    }
    const changes = quarters.filter(({ local }, n) => n > 0 && local.offset !== quarters[n - 1]?.local.offset);
    for (const { local } of changes) {
      const own = quarters.filter((one) => one.local.date === local.date);
      expectSame(await read(`period=${local.date}&step=quarter_hour`), tariff, { quarters: own, unit: "quarter_hour" });
    }
  }
});
