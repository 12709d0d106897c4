import type { SimulationStore } from "#service/ports/simulation-store.ts";
import type { Database } from "#store/database.ts";
import { isStored, parseAdjustments, renderAdjustments } from "./simulation-row.ts";
import { storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createSimulationStore(reader: Database, writer: Writer): SimulationStore {
  return {
    get: async (deviceId) => {
      const [row] = await reader.all("SELECT device_id, adjustments FROM simulation WHERE device_id = ?", deviceId);
      if (row === undefined) return undefined;
      const stored = storedJson({ database: reader, table: "simulation", row }, "adjustments", isStored);
      return stored && parseAdjustments(stored);
    },
    put: (deviceId, adjustments, trail) =>
      writer.run("putSimulation", { deviceId, adjustments: renderAdjustments(adjustments), trail }),
  };
}
