// How a value that is no amount looks: its word and its colour.
import { ENUM_COLORS } from "#core/blueprint/vocabulary.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { showValue } from "#web/data/show-value.ts";
import type { Value } from "./read-items.ts";
import type { ExploredDevice, SeriesInfo } from "./series-info.ts";

export type StateLook = {
  readonly text: string;
  /** Variables of the design. */
  readonly background: string;
  readonly ink: string;
};

/** For texts without a colour of their own, in turn. */
const PLAIN = [
  "--enum-blue-light",
  "--enum-purple-light",
  "--enum-cyan-light",
  "--enum-orange-light",
  "--enum-green-light",
  "--enum-pink-light",
  "--enum-yellow-light",
];
const LISTS: ReadonlySet<string> = new Set(["array_of_strings", "alerts"]);

/** The looks of the values of one series. Values without a colour get one in the order in which they first appear. */
export function stateLooks(
  {
    attribute,
    device,
  }: { readonly attribute: SeriesInfo["attribute"]; readonly device: Pick<ExploredDevice, "manifest"> | undefined },
  locale: Locale,
): (value: Value) => StateLook {
  const known = new Map<Value, StateLook>();
  let plain = 0;
  return (value) => {
    const found = known.get(value);
    if (found !== undefined) return found;
    const given = LISTS.has(attribute?.type ?? "") ? parseList(value) : value;
    const { text, meaning } = showValue(given, attribute, { locale, units: device?.manifest.units ?? new Map() });
    const color = ENUM_COLORS.find((one) => one === meaning?.color);
    const look = { text: text === "" ? "–" : text, ...colorsOf(color, value, given, () => plain++) };
    known.set(value, look);
    return look;
  };
}

function colorsOf(
  color: string | undefined,
  value: Value,
  given: unknown,
  next: () => number,
): Omit<StateLook, "text"> {
  if (color !== undefined) {
    const isDark = color.endsWith("-dark") || color.endsWith("-darker");
    return { background: `--enum-${color}`, ink: isDark ? "--enum-ink-light" : "--enum-ink-dark" };
  }
  // No, and nothing in a list, is the quiet state.
  if (value === false || (Array.isArray(given) && given.length === 0)) return { background: "--line", ink: "--text" };
  if (value === true) return { background: "--enum-green-light", ink: "--enum-ink-dark" };
  return { background: PLAIN[next() % PLAIN.length] ?? "--line", ink: "--enum-ink-dark" };
}

function parseList(value: Value): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    return value;
  }
}
