import { CORRECTION_KINDS, type CounterCorrection } from "#core/energy/counter-correction.ts";
import type { Row } from "#store/database.ts";
import { oneOf, optionalText, text, time } from "./row.ts";

export const CORRECTION_COLUMNS =
  "device_id, id, attribute, before_at, value_before, at, value, kind, new_start, note, token_id, author, created_at";

export function parseCorrection(row: Row): CounterCorrection {
  return {
    id: text(row, "id"),
    attribute: text(row, "attribute"),
    beforeAt: time(row, "before_at"),
    before: reading(row, "value_before"),
    at: time(row, "at"),
    value: reading(row, "value"),
    kind: oneOf(row, "kind", CORRECTION_KINDS),
    newStart: row["new_start"] === null ? undefined : reading(row, "new_start"),
    note: optionalText(row, "note"),
    author: { tokenId: text(row, "token_id"), name: text(row, "author") },
    createdAt: time(row, "created_at"),
  };
}

/** Columns hold whole numbers only, so readings are texts. */
function reading(row: Row, column: string): number {
  return Number(text(row, column));
}
