import type { Granularity } from "./granularity.ts";
import { t } from "./messages.ts";

/** A length of buckets as people write it: `5 min`, `1 month`. */
export function granularityName({ name }: Pick<Granularity, "name">): string {
  const [, amount = "", unit = ""] = /^(\d+)([a-zA-Z]+)$/.exec(name) ?? [];
  const words: Readonly<Record<string, string>> = { m: "min", d: t.day, w: t.week, M: t.month, y: t.year };
  return `${amount} ${words[unit] ?? unit}`;
}
