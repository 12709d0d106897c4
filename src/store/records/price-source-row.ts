import { PRICE_KINDS } from "#core/energy/price-days.ts";
import { isPriceSource, type PriceSourceRecord } from "#core/energy/price-source.ts";
import type { DamageLog, Row, Value } from "#store/database.ts";
import { number, oneOf, optionalBytes, optionalNumber, optionalText, optionalTime, text, time } from "./row.ts";
import { storedJson } from "./stored-json.ts";

export const PRICE_SOURCE_COLUMNS =
  "site_id, kind, document, sealed_header, updated_at, next_at, failures, succeeded_at, fetched_rows, failed_at, error";

/** Undefined for a damaged one, which is reported. */
export function readPriceSource(database: DamageLog, row: Row): PriceSourceRecord | undefined {
  const source = storedJson({ database, table: "price_source", row }, "document", isPriceSource);
  if (source === undefined) return undefined;
  return {
    siteId: text(row, "site_id"),
    kind: oneOf(row, "kind", PRICE_KINDS),
    source: { ...source, header: source.header },
    sealedHeader: optionalBytes(row, "sealed_header"),
    updatedAt: time(row, "updated_at"),
    state: {
      nextAt: time(row, "next_at"),
      failures: number(row, "failures"),
      succeededAt: optionalTime(row, "succeeded_at"),
      rows: optionalNumber(row, "fetched_rows"),
      failedAt: optionalTime(row, "failed_at"),
      error: optionalText(row, "error"),
    },
  };
}

export function priceSourceValues(record: PriceSourceRecord): readonly Value[] {
  const { siteId, kind, source, sealedHeader, updatedAt, state } = record;
  const { nextAt, failures, succeededAt, rows, failedAt, error } = state;
  return [
    siteId,
    kind,
    JSON.stringify(source),
    sealedHeader ?? null,
    updatedAt,
    nextAt,
    failures,
    succeededAt ?? null,
    rows ?? null,
    failedAt ?? null,
    error ?? null,
  ];
}
