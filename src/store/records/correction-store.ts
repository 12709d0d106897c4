import type { CounterCorrection } from "#core/energy/counter-correction.ts";
import type { CorrectionStore } from "#service/ports/correction-store.ts";
import type { Database } from "#store/database.ts";
import { CORRECTION_COLUMNS, parseCorrection } from "./correction-row.ts";
import { listed, text } from "./row.ts";
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
