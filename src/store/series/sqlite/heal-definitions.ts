// The file holds the names of series twice. If one copy is damaged, the other one replaces it.
import { KINDS, type SeriesDefinition } from "#store/series/batch.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { definitionSum, deviceSum, seriesSum } from "#store/series/piece-sums.ts";
import type { Connection } from "#store/sqlite/connection.ts";
import { checkedRows, DEFINITIONS, rightOnes } from "./read-rows.ts";

export function putDefinition(database: Connection, definition: SeriesDefinition, verb = "INSERT OR IGNORE"): void {
  const { series, device, deviceId, attribute } = definition;
  const kind = KINDS.indexOf(definition.kind);
  database.run(
    `${verb} INTO device (id, device_id, checksum) VALUES (?, ?, ?)`,
    device,
    deviceId,
    deviceSum(device, deviceId),
  );
  database.run(
    `${verb} INTO series (id, device, attribute, kind, checksum) VALUES (?, ?, ?, ?, ?)`,
    series,
    device,
    attribute,
    kind,
    seriesSum([series, device, kind], attribute),
  );
  database.run(
    `${verb} INTO definition (series, device, device_id, attribute, kind, checksum) VALUES (?, ?, ?, ?, ?, ?)`,
    series,
    device,
    deviceId,
    attribute,
    kind,
    definitionSum(definition),
  );
}

/** Must run in a transaction. Reports definitions that neither copy has. */
export function healDefinitions(database: Connection, onDamaged: OnDamaged): void {
  const damaged = new Set<number>();
  const note: OnDamaged = ({ key }) => damaged.add(key);
  const first = rightOnes(database.all(DEFINITIONS), checkedRows.definition, note);
  const second = rightOnes(database.all("SELECT *, series AS id FROM definition"), checkedRows.definitionCopy, note);
  const known = new Set(first.map((one) => one.series));
  const copied = new Set(second.map((one) => one.series));
  for (const one of second) if (!known.has(one.series)) putDefinition(database, one, "INSERT OR REPLACE");
  for (const one of first) if (!copied.has(one.series)) putDefinition(database, one, "INSERT OR REPLACE");
  const all = new Set([...known, ...copied]);
  for (const key of damaged) if (!all.has(key)) onDamaged({ table: "series", key, start: 0, span: 0 });
}
