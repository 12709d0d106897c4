import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Adjustments } from "#core/simulator/adjustments.ts";
import type { SimulationStore } from "#service/ports/simulation-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection } from "./connection.ts";
import { text } from "./row.ts";
import type { Writer } from "./writer.ts";

export function createSimulationStore(reader: Connection, writer: Writer): SimulationStore {
  return {
    get: async (deviceId) => {
      const [row] = reader.all("SELECT adjustments FROM simulation WHERE device_id = ?", deviceId);
      return row === undefined ? undefined : parseAdjustments(text(row, "adjustments"));
    },
    put: (deviceId, adjustments, trail) =>
      writer.run("putSimulation", { deviceId, adjustments: renderAdjustments(adjustments), trail }),
  };
}

export const simulationWrites = {
  putSimulation(
    database: Connection,
    { deviceId, adjustments, trail }: { deviceId: string; adjustments: string; trail: AuditEntry | undefined },
  ): boolean {
    if (database.all("SELECT 1 FROM device WHERE id = ?", deviceId).length === 0) return false;
    database.run(
      `INSERT INTO simulation (device_id, adjustments) VALUES (?, ?)
       ON CONFLICT (device_id) DO UPDATE SET adjustments = excluded.adjustments`,
      deviceId,
      adjustments,
    );
    if (trail !== undefined) recordAudit(database, trail);
    return true;
  },
};

/** Maps as lists of pairs, because names may be anything. */
type Stored = Omit<Adjustments, Held> & { readonly [Name in Held]: readonly [string, unknown][] };
type Held = "telemetry" | "properties" | "alerts" | "written";

function renderAdjustments(adjustments: Adjustments): string {
  const { telemetry, properties, alerts, written, ...rest } = adjustments;
  return JSON.stringify({
    ...rest,
    telemetry: [...telemetry],
    properties: [...properties],
    alerts: [...alerts],
    written: [...written],
  });
}

function parseAdjustments(json: string): Adjustments {
  const stored = JSON.parse(json) as Stored;
  return {
    ...stored,
    nextCommand: stored.nextCommand ?? undefined,
    stoppedAt: stored.stoppedAt ?? undefined,
    telemetry: new Map(stored.telemetry),
    properties: new Map(stored.properties),
    alerts: new Map(stored.alerts as [string, boolean][]),
    written: new Map(stored.written),
  };
}
