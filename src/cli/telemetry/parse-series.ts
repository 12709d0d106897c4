import { UsageError } from "#cli/usage-error.ts";
import type { Column } from "./describe-columns.ts";

export type AskedSeries = { readonly device: string; readonly attributes: readonly string[] };

/** `meter-1:power,energy` for each; without a colon the device alone, for whoever takes all attributes. */
export function parseSeries(words: readonly string[]): readonly AskedSeries[] {
  return words.map((word) => {
    const [, device = "", list] = /^([^:]*)(?::(.*))?$/.exec(word) ?? [];
    const attributes = (list ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    if (device === "" || (list !== undefined && attributes.length === 0)) {
      throw new UsageError(`"${word}" names no telemetry; write it like meter-1:power,energy`);
    }
    return { device, attributes };
  });
}

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
