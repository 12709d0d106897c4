import { UsageError } from "#cli/usage-error.ts";
import type { Column } from "./describe-columns.ts";

/** What one question to the server takes. */
const MAX_COLUMNS = 10;

/** Refuses what is too much for one question, naming what there is. */
export function checkColumns(columns: readonly Pick<Column, "device" | "attribute">[]): void {
  if (columns.length === 0) throw new UsageError("the device's blueprint declares no telemetry");
  if (columns.length <= MAX_COLUMNS) return;
  const names = [...Map.groupBy(columns, ({ device }) => device)].map(
    ([device, own]) => `  ${device}:${own.map(({ attribute }) => attribute).join(",")}`,
  );
  throw new UsageError(`at most ${MAX_COLUMNS} attributes at once; choose some of\n${names.join("\n")}`);
}
