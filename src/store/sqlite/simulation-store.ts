import type { AuditEntry } from "#core/access/audit-entry.ts";
import { type Adjustments, NEXT_COMMAND_KINDS } from "#core/simulator/adjustments.ts";
import type { SimulationStore } from "#service/ports/simulation-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection } from "./connection.ts";
import { isObject, storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createSimulationStore(reader: Connection, writer: Writer): SimulationStore {
  return {
    get: async (deviceId) => {
      const [row] = reader.all("SELECT device_id, adjustments FROM simulation WHERE device_id = ?", deviceId);
      if (row === undefined) return undefined;
      const stored = storedJson({ database: reader, table: "simulation", row }, "adjustments", isStored);
      return stored && parseAdjustments(stored);
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
const HELD = ["telemetry", "properties", "alerts", "written"] as const;
type Held = (typeof HELD)[number];

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

/** Everything that a model counts with; values are held against the blueprint where they are used. */
function isStored(value: unknown): value is Stored {
  if (!isObject(value) || !isObject(value["clock"])) return false;
  const { seed, speed, isPaused, intervalMs, clock, nextCommand, stoppedAt } = value;
  const numbers = [seed, speed, intervalMs, clock["real"], clock["simulated"], stoppedAt ?? 0];
  return (
    numbers.every(Number.isFinite) &&
    Number(intervalMs) >= 1 &&
    typeof isPaused === "boolean" &&
    (nextCommand === undefined || nextCommand === null || isNextCommand(nextCommand)) &&
    HELD.every((name) => isPairs(value[name]))
  );
}

function isNextCommand(value: unknown): boolean {
  return (
    isObject(value) &&
    NEXT_COMMAND_KINDS.some((kind) => kind === value["kind"]) &&
    [value["times"], value["delayMs"]].every(Number.isFinite)
  );
}

function isPairs(value: unknown): boolean {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[0] === "string");
}

function parseAdjustments(stored: Stored): Adjustments {
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
