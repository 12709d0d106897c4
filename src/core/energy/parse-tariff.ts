// Reads a tariff as people write it, and reports everything that is wrong with it at once. The same reader serves the
// interface, the command line, stored rows and the link.
import { DocumentReader, type Fields, type Problem } from "#core/text/document-reader.ts";
import { millionths } from "./money.ts";
import {
  BASE_UNITS,
  CO2_TYPES,
  LARGEST_CHARGE,
  LARGEST_CO2,
  LARGEST_FACTOR,
  LARGEST_PRICE,
  LONGEST_RATE_NAME,
  MAX_RATES,
  MAX_VERSIONS,
  PEAK_UNITS,
  PRICE_TYPES,
  type PriceRule,
  QUARTERS_OF_DAY,
  type Rate,
  type Tariff,
  type TariffVersion,
  tablePlace,
  WEEKDAYS,
} from "./tariff.ts";

/** In a table of rates: no rate is in force. */
const NO_RATE = 255;
const MONTHS = 12;

/** The tariff is undefined where there are problems. */
export function parseTariff(document: unknown): {
  readonly tariff: Tariff | undefined;
  readonly problems: readonly Problem[];
} {
  const reader = new DocumentReader();
  const fields = reader.object(document, ["currency", "versions"]);
  const currency = fields.at("currency").text(fields.get("currency"), /^[A-Z]{3}$/, "an ISO 4217 code such as EUR");
  const versions = fields
    .at("versions")
    .list(fields.get("versions"), MAX_VERSIONS)
    .map(({ value, at }) => readVersion(at, value));
  for (const [n, { validFrom }] of versions.entries()) {
    const before = versions[n - 1];
    if (before === undefined) continue;
    const at = fields.at("versions").at(String(n)).at("valid_from");
    if (validFrom === undefined) at.report("is needed on every version but the first");
    else if (before.validFrom !== undefined && validFrom <= before.validFrom) {
      at.report("must be later than that of the version before");
    }
  }
  const { problems } = reader;
  return { tariff: problems.length === 0 ? { currency, versions } : undefined, problems };
}

function readVersion(reader: DocumentReader, value: unknown): TariffVersion {
  const fields = reader.object(value, ["valid_from", "import", "export", "base", "peak", "co2"]);
  const rule = (name: "import" | "export") => fields.optional(name, (at, given) => readRule(at, given));
  const charge = <Unit extends string>(name: string, units: readonly Unit[]) =>
    fields.optional(name, (at, given) => {
      const own = at.object(given, ["amount", "per"]);
      const amount = own.at("amount").number(own.get("amount"), [0, LARGEST_CHARGE]);
      return { amount: millionths(amount), per: own.at("per").word(own.get("per"), units) };
    });
  return {
    validFrom: fields.optional("valid_from", (at, given) => readDate(at, given)),
    import: rule("import"),
    export: rule("export"),
    base: charge("base", BASE_UNITS),
    peak: charge("peak", PEAK_UNITS),
    co2: fields.optional("co2", (at, given) => {
      const own = at.object(given, ["type", "grams"]);
      const type = own.at("type").word(own.get("type"), CO2_TYPES);
      if (type === "series") {
        own.refuseOthers(["type"], "a series");
        return { type } as const;
      }
      return { type, grams: millionths(own.at("grams").number(own.get("grams"), [0, LARGEST_CO2])) } as const;
    }),
  };
}

function readRule(reader: DocumentReader, value: unknown): PriceRule {
  const fields = reader.object(value, ["type", "name", "price", "rates", "default", "add", "factor"]);
  const type = fields.at("type").word(fields.get("type"), PRICE_TYPES);
  const name = () => fields.optional("name", (at, given) => at.name(given, LONGEST_RATE_NAME));
  if (type === "time_of_use") {
    fields.refuseOthers(["type", "rates", "default"], "time_of_use");
    return readTimeOfUse(fields);
  }
  if (type === "prices") {
    fields.refuseOthers(["type", "name", "add", "factor"], "prices");
    const add = fields.optional("add", (at, given) => at.number(given, [-LARGEST_PRICE, LARGEST_PRICE]));
    const factor = fields.optional("factor", (at, given) => at.number(given, [0, LARGEST_FACTOR]));
    return { type, name: name() ?? "prices", add: millionths(add ?? 0), factor: factor ?? 1 };
  }
  fields.refuseOthers(["type", "name", "price"], "fixed");
  return { type: "fixed", rate: { name: name() ?? "fixed", price: readPrice(fields) } };
}

function readPrice(fields: Fields): number {
  return millionths(fields.at("price").number(fields.get("price"), [-LARGEST_PRICE, LARGEST_PRICE]));
}

/** Of several rates that fit, the first one is in force. */
function readTimeOfUse(fields: Fields): PriceRule {
  const table = new Uint8Array(MONTHS * WEEKDAYS.length * QUARTERS_OF_DAY).fill(NO_RATE);
  const at = fields.at("rates");
  const rates = at.list(fields.get("rates"), MAX_RATES).map((item, n): Rate => {
    const own = item.at.object(item.value, ["name", "price", "weekdays", "months", "from", "to"]);
    const rate = { name: own.at("name").name(own.get("name"), LONGEST_RATE_NAME), price: readPrice(own) };
    const weekdays = own.optional("weekdays", (place, given) =>
      place.list(given, WEEKDAYS.length).map((one) => WEEKDAYS.indexOf(one.at.word(one.value, WEEKDAYS))),
    );
    const months = own.optional("months", (place, given) =>
      place.list(given, MONTHS).map((one) => one.at.whole(one.value, [1, MONTHS]) - 1),
    );
    const from = own.optional("from", (place, given) => readQuarter(place, given)) ?? 0;
    const to = own.optional("to", (place, given) => readQuarter(place, given)) ?? QUARTERS_OF_DAY;
    if (from === to) own.at("to").report("must differ from from; leave both out for the whole day");
    const isIn = (quarter: number) => (from < to ? quarter >= from && quarter < to : quarter >= from || quarter < to);
    for (const month of months ?? Array.from({ length: MONTHS }, (_, i) => i)) {
      for (const weekday of weekdays ?? WEEKDAYS.keys()) {
        for (let quarter = 0; quarter < QUARTERS_OF_DAY; quarter++) {
          const place = tablePlace(month, weekday, quarter);
          if (isIn(quarter) && table[place] === NO_RATE) table[place] = n;
        }
      }
    }
    return rate;
  });
  const fallback = fields.optional("default", (place, given): Rate => {
    const own = place.object(given, ["name", "price"]);
    return {
      name: own.optional("name", (where, text) => where.name(text, LONGEST_RATE_NAME)) ?? "default",
      price: readPrice(own),
    };
  });
  const gap = table.indexOf(NO_RATE);
  if (gap >= 0 && fallback === undefined) at.report(`no rate is in force ${momentOf(gap)}; add one, or a default`);
  for (const [place, rate] of table.entries()) if (rate === NO_RATE) table[place] = rates.length;
  return { type: "time_of_use", rates: fallback === undefined ? rates : [...rates, fallback], table };
}

function momentOf(place: number): string {
  const quarter = place % QUARTERS_OF_DAY;
  const day = Math.floor(place / QUARTERS_OF_DAY);
  const two = (value: number) => String(value).padStart(2, "0");
  const time = `${two(Math.floor(quarter / 4))}:${two((quarter % 4) * 15)}`;
  return `on ${WEEKDAYS[day % WEEKDAYS.length]} at ${time} in month ${Math.floor(day / WEEKDAYS.length) + 1}`;
}

function readDate(reader: DocumentReader, value: unknown): string {
  const text = reader.text(value, /^\d{4}-\d\d-\d\d$/, "a date such as 2026-01-01");
  const at = text === "" ? 0 : Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at) || (text !== "" && new Date(at).toISOString().slice(0, 10) !== text)) {
    reader.report("is no day of the calendar");
  }
  return text;
}

/** A local time on a quarter of an hour: its number in the day. */
function readQuarter(reader: DocumentReader, value: unknown): number {
  const [, hours, minutes] = /^(\d\d):(00|15|30|45)$/.exec(typeof value === "string" ? value : "") ?? [];
  const quarter = Number(hours) * 4 + Number(minutes) / 15;
  if (quarter <= QUARTERS_OF_DAY) return quarter;
  reader.report("must be a time on a quarter of an hour, from 00:00 to 24:00");
  return 0;
}
