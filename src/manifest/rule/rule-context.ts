// Readers that all parts of a rule use: names, texts, and the choice of a form by its key.
import { DIRECTIONS } from "#core/energy/price-book.ts";
import type { Direction } from "#core/energy/rates.ts";
import { LONGEST_RULE_TEXT } from "#core/rule/rule.ts";
import type { RuleSite, RuleSiteDevice } from "#core/rule/rule-site.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import * as r from "#manifest/reader.ts";
import { follow, hasKey, type Trail } from "#manifest/tree.ts";
import { choices, kindOf, nameOf, quote } from "#manifest/words.ts";

/** What readers of a rule know besides its text. */
export interface RuleContext extends r.ReadContext {
  /** Undefined: only the text is checked. */
  readonly site: RuleSite | undefined;
  readonly cronProblem: ((expression: string) => string | undefined) | undefined;
  /** How many conditions were read so far. */
  readonly counted: { conditions: number };
}

const LONGEST_NAME = 200;
const direction = r.oneOf(DIRECTIONS);

const textOf = (longest: number, isName: boolean): r.Reader<string> =>
  r.scalar(
    { type: "string", minLength: 1, maxLength: longest },
    `a text of 1 to ${longest} characters${isName ? " on one line" : ""}`,
    ({ value }) => {
      if (typeof value !== "string" || value.length > longest || value.trim() === "") return undefined;
      return isName && /\p{Cc}/u.test(value) ? undefined : value;
    },
  );

export const longText = textOf(LONGEST_RULE_TEXT, false);
export const name = textOf(LONGEST_NAME, true);

export const positive = r.scalar({ type: "number", minimum: 0 }, "a number from 0 on", ({ value }) =>
  typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined,
);

export const device: r.Reader<string> = r.reader(name.schema, (context: RuleContext, trail) => {
  const given = name.read(context, trail);
  if (given === undefined || context.site === undefined) return given;
  return named(context, trail, { what: "device", word: given, known: context.site.devices.keys() });
});

/** If the site is known, that of one of its calendars. */
export const calendarName: r.Reader<string> = r.reader(name.schema, (context: RuleContext, trail) => {
  const given = name.read(context, trail);
  const known = context.site?.calendars;
  return given === undefined || known === undefined
    ? given
    : named(context, trail, { what: "calendar", word: given, known });
});

/** If the site is known, its tariff has such prices. */
export const priced: r.Reader<Direction> = r.reader(direction.schema, (context: RuleContext, trail) => {
  const given = direction.read(context, trail);
  const known = context.site?.prices;
  if (given === undefined || known === undefined || known.has(given)) return given;
  const message =
    known.size === 0
      ? "Nobody knows what energy costs: the site has no tariff. Set one."
      : `The tariff of the site has no price for ${given}, only for ${[...known].join(" and ")}.`;
  return context.reporter.atValue(trail, { code: "unknown_value", message });
});

interface Name {
  readonly what: string;
  readonly word: string;
  readonly known: Iterable<string>;
}

/** The word, or undefined if nothing is called so, and then it has been reported. */
export function named({ reporter }: r.ReadContext, trail: Trail, { what, word, known }: Name): string | undefined {
  const names = [...known];
  if (names.includes(word)) return word;
  const { words } = choices(reporter, word, names);
  const message = `There is no ${what} ${quote(word)}. ${words || "None is known."}`;
  return reporter.atValue(trail, { code: "unknown_value", message });
}

export const deviceOf = ({ site }: RuleContext, id: string): RuleSiteDevice | undefined => site?.devices.get(id);

/** Reads an object by the first of these keys that it has. A reader may be looked up late, because conditions contain conditions. */
export function byKey<T>(what: string, forms: readonly (readonly [key: string, form: r.Reader<T>])[]): r.Reader<T> {
  const keys = forms.map(([key]) => key);
  return r.reader({ anyOf: forms.map(([, form]) => form.schema) }, (context, trail) => {
    if (trail.node.kind !== "map") return r.wrong(context, trail, `an object with one of ${keys.join(", ")}`);
    const found = forms.find(([key]) => hasKey(trail, key));
    if (found !== undefined) return found[1].read(context, trail);
    const [unknown] = [...trail.node.entries.keys()].filter((key) => key !== "device");
    const meant = unknown === undefined ? undefined : context.reporter.nearest(unknown, keys);
    const words = meant === undefined ? `It needs one of ${keys.join(", ")}.` : `Did you mean ${meant}?`;
    const place = unknown === undefined ? trail : follow(trail, [unknown]);
    const message = `What this ${what} is about is missing. ${words}`;
    return context.reporter.atKey(place, { code: "missing_key", message });
  });
}

const LONGEST = "7d";
const msOf = (text: string): number | undefined => {
  const duration = parseDuration(text);
  return duration === undefined ? undefined : toMilliseconds(duration);
};

/** Milliseconds. */
export function lasting(least: string, most = LONGEST): r.Reader<number> {
  const [shortest = 0, longest = 0] = [msOf(least), msOf(most)];
  const schema = { type: "string", pattern: "^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$", examples: ["30s", "5m", "1h30m"] };
  return r.reader(schema, (context, trail) => {
    const value = trail.node.kind === "scalar" ? trail.node.value : null;
    const ms = typeof value === "string" ? msOf(value) : undefined;
    if (ms !== undefined && ms >= shortest && ms <= longest) return ms;
    const hint = typeof value === "number" ? ` Did you mean ${value}s?` : "";
    const message = `${nameOf(trail)} must be a duration from ${least} to ${most}, such as 30s or 1h30m, and is ${kindOf(trail.node)}.${hint}`;
    return context.reporter.atValue(trail, { code: "bad_duration", message });
  });
}
