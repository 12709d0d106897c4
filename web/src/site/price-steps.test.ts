import { expect, test } from "vitest";
import { meanPrice, priceOf, priceSteps, readTariff, storedDirections } from "./price-steps.ts";

const NOTHING = { import: [], export: [] };
const range = { from: Date.parse("2026-11-17T23:00Z"), to: Date.parse("2026-11-18T23:00Z") };
const zone = "Europe/Berlin";
const read = (versions: readonly object[]) => {
  const tariff = readTariff({ currency: "EUR", versions, updated_at: "2026-01-01T00:00:00Z" } as {
    updated_at: string;
  });
  if (tariff === undefined) throw new Error("not a tariff");
  return tariff;
};
const shown = (steps: readonly { from: number; to: number; value: number }[]) =>
  steps.map(
    ({ from, to, value }) =>
      `${new Date(from).toISOString().slice(11, 16)}-${new Date(to).toISOString().slice(11, 16)} ${value}`,
  );

const NIGHT = {
  type: "time_of_use",
  rates: [{ name: "night", price: 0.22, from: "22:00", to: "06:00" }],
  default: { price: 0.34 },
};

test("a tariff by time of use gives its steps in the clock of the site, and a new version begins with its day", () => {
  const steps = priceSteps(read([{ import: NIGHT, export: { type: "fixed", price: 0.08 } }]), {
    zone,
    range,
    stored: NOTHING,
  });
  expect(shown(steps.import)).toEqual(["23:00-05:00 0.22", "05:00-21:00 0.34", "21:00-23:00 0.22"]);
  expect(shown(steps.export)).toEqual(["23:00-23:00 0.08"]);
  const later = read([
    { import: { type: "fixed", price: 0.3 } },
    { valid_from: "2026-11-18", import: { type: "fixed", price: 0.4 } },
  ]);
  const rolling = { from: range.from - 3_600_000, to: range.from + 3_600_000 };
  expect(shown(priceSteps(later, { zone, range: rolling, stored: NOTHING }).import)).toEqual([
    "22:00-23:00 0.3",
    "23:00-00:00 0.4",
  ]);
});

test("stored prices have their surcharge, and a quarter without a price is a gap", () => {
  const tariff = read([{ import: { type: "prices", add: 0.1, factor: 1.2 } }]);
  expect(storedDirections(tariff)).toEqual(["import"]);
  const stored = {
    ...NOTHING,
    import: [
      { from: "2026-11-18T10:00:00.000Z", to: "2026-11-18T11:00:00.000Z", price: 0.1 },
      { from: "2026-11-18T11:15:00.000Z", to: "2026-11-18T12:00:00.000Z", price: -0.2 },
    ],
  };
  const { import: steps, export: none } = priceSteps(tariff, { zone, range, stored });
  expect(shown(steps)).toEqual(["10:00-11:00 0.24", "11:15-12:00 -0.12"]);
  expect(none).toEqual([]);
  const at = (time: string) => Date.parse(`2026-11-18T${time}Z`);
  expect([priceOf(steps, at("10:59")), priceOf(steps, at("11:00")), priceOf(steps, at("11:15"))]).toEqual([
    0.24,
    undefined,
    -0.12,
  ]);
  expect(meanPrice(steps, { from: at("10:45"), to: at("11:30") })).toBeCloseTo(0.06);
  expect(meanPrice(steps, { from: at("12:00"), to: at("13:00") })).toBeUndefined();
});

test("a tariff of another version of the service is none", () => {
  const document = { currency: "EUR", versions: [{ import: { type: "auction" } }], updated_at: "2026-01-01T00:00:00Z" };
  expect(readTariff(document)).toBeUndefined();
});
