import type { RecordTables, TablePlan } from "./record-tables.ts";
import type { TelemetrySide } from "./telemetry-sides.ts";

type Held = readonly [deviceId: string, at: number, arrivedAt: number, points: string];

/** An installation that is moved, or the place it is moved to. Nobody else uses it. */
export interface MoveSide {
  /** Undefined where the tables are those of the other side. */
  readonly tables: readonly TablePlan[] | undefined;
  readonly records: RecordTables;
  readonly telemetry: TelemetrySide;
  /** Points that are held back: few, and no answer contains them. */
  readonly held: { read(): Promise<readonly Held[]>; replace(rows: readonly Held[]): Promise<void> };
  /** Everything is there: it may be used from now on. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
