import { expect, test } from "vitest";
import type { Tariff } from "#client/resources.ts";
import { draftOfTariff, NEW_RATE, readTariffDraft } from "./tariff-draft.ts";

const TARIFF: Tariff = {
  currency: "EUR",
  updated_at: "2026-11-18T00:00:00.000Z",
  versions: [
    { import: { type: "fixed", price: 0.3 } },
    {
      valid_from: "2026-07-01",
      import: {
        type: "time_of_use",
        rates: [
          { name: "night", price: 0.2, from: "22:00", to: "06:00" },
          { name: "work", price: 0.4, weekdays: ["mon", "tue", "wed", "thu", "fri"], from: "06:00", to: "22:00" },
          { name: "odd", price: 0.1, weekdays: ["wed"], months: [7], from: "12:00", to: "13:00" },
        ],
        default: { name: "day", price: 0.35 },
      },
      export: { type: "prices", name: "spot", add: -0.01, factor: 1.19 },
      base: { amount: 12, per: "month" },
      peak: { amount: 90, per: "year" },
      co2: { type: "fixed", grams: 380 },
    },
  ],
};

test("a tariff that is only opened and saved stays what it was", () => {
  const { tariff, wrong } = readTariffDraft(draftOfTariff(TARIFF, "de"), TARIFF);
  expect([...wrong]).toEqual([]);
  expect(tariff).toEqual({ currency: TARIFF.currency, versions: TARIFF.versions });
});

test("a later day makes a new version, so that the past stays as it was; an earlier one is wrong", () => {
  const draft = { ...draftOfTariff(TARIFF, "en"), validFrom: "2027-01-01" };
  expect(readTariffDraft(draft, TARIFF).tariff.versions.map(({ valid_from }) => valid_from)).toEqual([
    undefined,
    "2026-07-01",
    "2027-01-01",
  ]);
  expect([...readTariffDraft({ ...draft, validFrom: "" }, TARIFF).wrong]).toEqual(["validFrom"]);
});

test("a first tariff needs a price; German commas are numbers", () => {
  const draft = draftOfTariff(null, "de");
  expect([...readTariffDraft(draft, null).wrong]).toEqual(["import.price"]);
  const typed = { ...draft, import: { ...draft.import, price: "0,32" }, base: "x", currency: "eur" };
  const { tariff, wrong } = readTariffDraft(typed, null);
  expect([tariff.currency, tariff.versions[0]?.import, [...wrong]]).toEqual([
    "EUR",
    { type: "fixed", price: 0.32 },
    ["base"],
  ]);
});

test("rates without a name are named by their hours", () => {
  const draft = draftOfTariff(null, "en");
  const { tariff, wrong } = readTariffDraft(
    { ...draft, import: { ...draft.import, type: "time_of_use", rates: [{ ...NEW_RATE, price: "0.2" }, NEW_RATE] } },
    null,
  );
  expect(tariff.versions[0]?.import?.rates?.[0]).toEqual({
    name: "22:00–06:00",
    price: 0.2,
    from: "22:00",
    to: "06:00",
  });
  expect([...wrong]).toEqual(["import.rates.1.price"]);
});
