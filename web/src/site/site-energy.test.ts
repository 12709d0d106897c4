import { expect, test } from "vitest";
import { readHistory } from "#web/data/history.ts";
import { readManifest } from "#web/data/manifest.ts";
import { chargeOf, type EnergyDevice, flowOf, instrumentsOf, todayOf, wantedForToday } from "./site-energy.ts";

const NOW = 100_000_000;
const device = (
  id: string,
  manifest: object,
  values: Record<string, number>,
  more: Partial<EnergyDevice> & { age?: number } = {},
): EnergyDevice => ({
  id,
  manifest: readManifest(manifest),
  connectivity: more.connectivity ?? "ONLINE",
  resource: { type: "LUA", created_at: "1970-01-01T00:00:00Z", ...more.resource },
  values: new Map(
    Object.entries(values).map(([name, value]) => [name, { value, timestamp: (NOW - (more.age ?? 0)) / 1000 }]),
  ),
});
const W = { type: "float", unit: "W" };
const PV = {
  implements: ["energy.inverter.pv"],
  telemetry: { ac_power: W, pv_energy_total: { type: "float", unit: "kWh" } },
};
const METER = { implements: ["energy.grid_meter"], telemetry: { grid_power: W } };
const BATTERY = {
  implements: ["energy.battery"],
  telemetry: { battery_power: W, battery_soc: { type: "float", unit: "%" } },
};

const flow = (devices: readonly EnergyDevice[]) =>
  flowOf(instrumentsOf(devices), devices, NOW)
    .nodes.map(({ kind, watts }) => `${kind}=${watts ?? "?"}`)
    .join(" ");

test("the flow is made of what devices measure now", () => {
  expect(flow([device("pv", PV, { ac_power: 5000 }), device("m", METER, { grid_power: -2000 })])).toBe(
    "solar=5000 grid=2000 rest=3000",
  );
});

test.each([
  ["a device that is away", { connectivity: "OFFLINE" as const }],
  ["a device behind a gateway that is away", { connectivity: "UNKNOWN" as const }],
  ["an old value", { age: 600_000 }],
])("%s is unknown", (_, more) => {
  expect(flow([device("pv", PV, { ac_power: 5000 }, more), device("m", METER, { grid_power: -2000 })])).toBe(
    "solar=? grid=2000 rest=?",
  );
});

test("a simulated device beside real ones carries no power", () => {
  const sim = device(
    "sim",
    BATTERY,
    { battery_power: 3000 },
    { resource: { type: "SIMULATED", created_at: "1970-01-01T00:00:00Z" } },
  );
  expect(flow([device("m", METER, { grid_power: 500 }), sim])).toBe("grid=500 rest=500");
  expect(flow([sim])).toBe("battery=3000");
});

test("the charge is shown only where one battery is", () => {
  const one = [device("a", BATTERY, { battery_soc: 64 })];
  expect(chargeOf(instrumentsOf(one), one, NOW)).toBe(64);
  const two = [...one, device("b", BATTERY, { battery_soc: 20 })];
  expect(chargeOf(instrumentsOf(two), two, NOW)).toBeUndefined();
});

test("today begins at the local midnight: what was before does not count", async () => {
  const devices = [device("pv", PV, { ac_power: 1000 }), device("m", METER, { grid_power: 0 })];
  const instruments = instrumentsOf(devices);
  const wanted = wantedForToday(instruments);
  expect(wanted.map(({ device: id, attribute, aggregation }) => `${id}.${attribute} ${aggregation}`)).toEqual([
    "pv.ac_power integral",
    "m.grid_power integral",
    "pv.pv_energy_total delta",
  ]);
  const hour = 3_600;
  const csv = `ts,a,b,c
0,9000,9000,9
${hour},9000,9000,9
${2 * hour},1000,500,1
${3 * hour},1000,500,1
`;
  const history = await readHistory(async () => pieces(csv), wanted, {
    from: 0,
    to: 4 * hour * 1000,
    bucketMs: hour * 1000,
  });
  const energies = todayOf(instruments, devices, { history, dayStart: 2 * hour * 1000, now: 4 * hour * 1000 });
  expect(energies).toMatchObject({ produced: 2, fromGrid: 1, toGrid: 0, used: 3, coverage: 1 });
});

test("voltage times current is energy for as long as the bucket has lasted", async () => {
  const stack = {
    category: "electrolysers",
    telemetry: { stack_voltage: { unit: "V" }, stack_current: { unit: "A" } },
  };
  const devices = [device("e", stack, {}), device("m", METER, {})];
  const instruments = instrumentsOf(devices);
  const csv = "ts,a,b,c\n0,40,50,500\n";
  const history = await readHistory(async () => pieces(csv), wantedForToday(instruments), {
    from: 0,
    to: 3_600_000,
    bucketMs: 3_600_000,
  });
  const { used, coverage } = todayOf(instruments, devices, { history, dayStart: 0, now: 1_800_000 });
  expect({ used, coverage }).toEqual({ used: 0.5, coverage: 1 });
});

async function* pieces(text: string) {
  yield new TextEncoder().encode(text);
}
