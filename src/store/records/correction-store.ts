import { CORRECTION_KINDS, type CounterCorrection } from "#core/energy/counter-correction.ts";
import type { CorrectionStore } from "#service/ports/correction-store.ts";
import type { Database, Row } from "#store/database.ts";
import { CORRECTION_COLUMNS } from "./correction-writes.ts";
import { listed, oneOf, optionalText, text, time } from "./row.ts";
import type { Writer } from "./writer.ts";

export function createCorrectionStore(reader: Database, writer: Writer): CorrectionStore {
  return {
    ofDevices: async (deviceIds) => {
      const found = new Map<string, CounterCorrection[]>(deviceIds.map((id) => [id, []]));
      const rows = await reader.all(
        `SELECT ${CORRECTION_COLUMNS} FROM counter_correction
         WHERE device_id IN (SELECT value FROM json_each(?)) ORDER BY device_id, at, attribute`,
        listed(deviceIds),
      );
      for (const row of rows) found.get(text(row, "device_id"))?.push(parseCorrection(row));
      return found;
    },
    insert: (deviceId, correction, trail) => writer.run("insertCorrection", { deviceId, correction, trail }),
    delete: (deviceId, id, trail) => writer.run("deleteCorrection", { deviceId, id, trail }),
  };
}

function parseCorrection(row: Row): CounterCorrection {
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
