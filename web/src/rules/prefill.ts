// "Make a rule from this": the text that the editor opens with. Pure.
import { writePlainDocument } from "#manifest/plain-document.ts";
import type { Query } from "#web/router/query.ts";

const LONGEST = 200;

export type SeedWords = {
  readonly raised: (title: string) => string;
  readonly crossed: (title: string) => string;
  readonly offline: (title: string) => string;
  readonly back: (title: string) => string;
};

const EMPTY = `name: New rule
when:
  - { at: "07:30" }
then:
  - { notify: Good morning. }
`;

/** Addresses are written by anybody: whatever they hold becomes texts of a YAML document, and nothing else. */
export function prefill(query: Query, words: SeedWords): string {
  const make = query.text("make");
  const device = query.text("device")?.slice(0, LONGEST);
  const title = (query.text("title") ?? device ?? "").slice(0, LONGEST);
  if (device === undefined) return EMPTY;
  const write = (name: string, when: object, more: object = {}) =>
    writePlainDocument({ name, when: [when], ...more, ["then" as const]: [{ notify: name, severity: "warning" }] });
  if (make === "alert")
    return write(words.raised(title), { device, alert: query.text("alert")?.slice(0, LONGEST) ?? "any" });
  const attribute = query.text("attribute")?.slice(0, LONGEST);
  if (make === "value" && attribute !== undefined)
    return write(words.crossed(title), { device, attribute, ...comparison(query.text("value")) }, { for: "1m" });
  if (make === "device")
    return writePlainDocument({
      name: words.offline(title),
      when: [{ device, is: "offline" }],
      for: "5m",
      ["then" as const]: [{ notify: words.offline(title), severity: "warning" }],
      else: [{ notify: words.back(title) }],
    });
  return EMPTY;
}

/** A number begins a little above what it is now, so that the rule does not start at once. */
function comparison(value: string | undefined): object {
  const number = Number(value);
  if (value === undefined || value === "") return { above: 0 };
  if (value === "true" || value === "false") return { equals: value === "true" };
  if (!Number.isFinite(number)) return { equals: value.slice(0, LONGEST) };
  const size = Math.abs(number);
  const step = size === 0 ? 1 : 10 ** Math.floor(Math.log10(size));
  return { above: Number((number + step / 2).toPrecision(2)), hysteresis: Number((step / 10).toPrecision(1)) };
}
