// A tariff as it is typed, and as the interface takes it. Pure.
import type { NewTariff, Tariff, TariffPrice, TariffRate, TariffVersion } from "#client/resources.ts";
import { type Months, monthsOf, readMonths, WHOLE_YEAR } from "./months.ts";

/** `kept`: weekdays that the form cannot say in a word stay as they are. */
type Days = "all" | "workdays" | "weekend" | "kept";
export type RateDraft = {
  readonly name: string;
  readonly price: string;
  readonly days: Days;
  readonly months: Months;
  readonly from: string;
  readonly to: string;
  /** As it was before. */
  readonly rest: Pick<TariffRate, "weekdays" | "months">;
};
export type PriceDraft = {
  readonly type: "none" | TariffPrice["type"];
  readonly price: string;
  readonly rates: readonly RateDraft[];
  readonly otherwise: string;
  readonly add: string;
  readonly factor: string;
  /** Names that the form does not show. */
  readonly names: { readonly rule?: string | undefined; readonly otherwise?: string | undefined };
};
export type TariffDraft = {
  readonly currency: string;
  /** The day from which it holds; empty: since ever. */
  readonly validFrom: string;
  readonly import: PriceDraft;
  readonly export: PriceDraft;
  readonly base: string;
  readonly basePer: "day" | "month" | "year";
  readonly peak: string;
  readonly peakPer: "month" | "year";
  readonly co2: "none" | "fixed" | "series";
  readonly grams: string;
};

/** Where something is wrong, by the name of the field: `import.price`, `import.rates.0.price`. */
export type ReadTariff = { readonly tariff: NewTariff; readonly wrong: ReadonlySet<string> };

const WORKDAYS = ["mon", "tue", "wed", "thu", "fri"] as const;
const WEEKEND = ["sat", "sun"] as const;
const EMPTY: PriceDraft = { type: "none", price: "", rates: [], otherwise: "", add: "", factor: "", names: {} };
export const NEW_RATE: RateDraft = {
  name: "",
  price: "",
  days: "all",
  months: WHOLE_YEAR,
  from: "22:00",
  to: "06:00",
  rest: {},
};

/** The newest version of a tariff. Without one: a fixed price that nobody has typed yet. */
export function draftOfTariff(tariff: Tariff | null, locale: "en" | "de"): TariffDraft {
  const version: TariffVersion = tariff?.versions.at(-1) ?? {};
  const text = (value: number | undefined) =>
    value === undefined ? "" : locale === "de" ? String(value).replace(".", ",") : String(value);
  const priceOf = (rule: TariffPrice | undefined): PriceDraft =>
    rule === undefined
      ? EMPTY
      : {
          type: rule.type,
          price: text(rule.price),
          rates: (rule.rates ?? []).map(({ name, price, weekdays, months, from, to }) => ({
            name,
            price: text(price),
            days: daysOf(weekdays),
            months: monthsOf(months),
            from: from ?? "00:00",
            to: to ?? "24:00",
            rest: { ...(weekdays && { weekdays }), ...(months && { months }) },
          })),
          otherwise: text(rule.default?.price),
          add: text(rule.add),
          factor: text(rule.factor),
          names: { rule: rule.name, otherwise: rule.default?.name },
        };
  return {
    currency: tariff?.currency ?? "EUR",
    validFrom: version.valid_from ?? "",
    import: tariff === null ? { ...EMPTY, type: "fixed" } : priceOf(version.import),
    export: priceOf(version.export),
    base: text(version.base?.amount),
    basePer: version.base?.per ?? "month",
    peak: text(version.peak?.amount),
    peakPer: version.peak?.per ?? "month",
    co2: version.co2?.type ?? "none",
    grams: text(version.co2?.grams),
  };
}

function daysOf(weekdays: TariffRate["weekdays"]): Days {
  const sorted = weekdays === undefined ? undefined : [...weekdays].sort().join();
  if (sorted === undefined) return "all";
  return sorted === [...WORKDAYS].sort().join()
    ? "workdays"
    : sorted === [...WEEKEND].sort().join()
      ? "weekend"
      : "kept";
}

/** The tariff with the typed version instead of its newest, or after it when it begins later. */
export function readTariffDraft(draft: TariffDraft, known: Tariff | null): ReadTariff {
  const wrong = new Set<string>();
  const number = (text: string, field: string): number => {
    const value = Number(text.trim().replace(",", "."));
    if (text.trim() === "" || !Number.isFinite(value)) wrong.add(field);
    return value;
  };
  const optional = (text: string, field: string) => (text.trim() === "" ? undefined : number(text, field));
  const version = readVersion(draft, { number, optional });
  if (!/^[A-Z]{3}$/.test(draft.currency.trim().toUpperCase())) wrong.add("currency");
  const versions = known?.versions ?? [];
  const last = versions.at(-1);
  const isLater = last !== undefined && draft.validFrom > (last.valid_from ?? "");
  const before = isLater ? versions : versions.slice(0, -1);
  if (before.length > 0 && draft.validFrom <= (before.at(-1)?.valid_from ?? "")) wrong.add("validFrom");
  return { tariff: { currency: draft.currency.trim().toUpperCase(), versions: [...before, version] }, wrong };
}

type Readers = {
  readonly number: (text: string, field: string) => number;
  readonly optional: (text: string, field: string) => number | undefined;
};

function readVersion(draft: TariffDraft, readers: Readers): TariffVersion {
  const { number, optional } = readers;
  const [base, peak] = [optional(draft.base, "base"), optional(draft.peak, "peak")];
  const [bought, sold] = [readPrice(draft.import, "import", readers), readPrice(draft.export, "export", readers)];
  return {
    ...(draft.validFrom !== "" && { valid_from: draft.validFrom }),
    ...(bought && { import: bought }),
    ...(sold && { export: sold }),
    ...(base !== undefined && { base: { amount: base, per: draft.basePer } }),
    ...(peak !== undefined && { peak: { amount: peak, per: draft.peakPer } }),
    ...(draft.co2 === "fixed" && { co2: { type: "fixed", grams: number(draft.grams, "grams") } }),
    ...(draft.co2 === "series" && { co2: { type: "series" } }),
  };
}

function readPrice(draft: PriceDraft, field: string, { number, optional }: Readers): TariffPrice | undefined {
  const { rule, otherwise: otherwiseName } = draft.names;
  const named = rule === undefined ? {} : { name: rule };
  switch (draft.type) {
    case "none":
      return undefined;
    case "fixed":
      return { type: "fixed", ...named, price: number(draft.price, `${field}.price`) };
    case "time_of_use": {
      const rates = draft.rates.map(({ name, price, days, months, from, to, rest }, index): TariffRate => {
        const { weekdays } = rest;
        const chosenMonths = readMonths(months, rest.months);
        const chosen =
          days === "workdays" ? WORKDAYS : days === "weekend" ? WEEKEND : days === "kept" ? weekdays : undefined;
        return {
          name: name.trim() === "" ? `${from}–${to}` : name.trim(),
          price: number(price, `${field}.rates.${index}.price`),
          ...(chosen && { weekdays: chosen }),
          ...(chosenMonths && { months: chosenMonths }),
          from,
          to,
        };
      });
      const otherwise = optional(draft.otherwise, `${field}.otherwise`);
      return {
        type: "time_of_use",
        rates,
        ...(otherwise !== undefined && {
          default: { ...(otherwiseName !== undefined && { name: otherwiseName }), price: otherwise },
        }),
      };
    }
    case "prices": {
      const [add, factor] = [optional(draft.add, `${field}.add`), optional(draft.factor, `${field}.factor`)];
      return { type: "prices", ...named, ...(add !== undefined && { add }), ...(factor !== undefined && { factor }) };
    }
  }
}
