import { parseRetention, type Retention, type SiteRetention } from "#core/telemetry/retention.ts";
import type { Row } from "#store/database.ts";
import { text } from "./row.ts";

/** Stands for every attribute without a rule of its own. */
export const OTHERS = "";

export function parseRules(rows: readonly Row[]): SiteRetention {
  const rules = new Map(
    rows.flatMap((row): [string, Retention][] => {
      const kept = parseRetention(text(row, "kept"));
      return kept === undefined ? [] : [[text(row, "attribute"), kept]];
    }),
  );
  const fallback = rules.get(OTHERS);
  rules.delete(OTHERS);
  return { fallback, attributes: rules };
}
