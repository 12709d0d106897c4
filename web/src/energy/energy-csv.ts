// The steps of a period as a table for files. Pure.
import type { EnergyStep } from "#client/resources.ts";
import { renderCsv } from "#web/data/csv.ts";
import { PARTS } from "./bars.ts";

const COLUMNS = [...PARTS, "used", "self_consumption", "self_sufficiency", "hours_known", "hours", "doubtful"] as const;
const MONEY = ["import", "export", "net", "co2"] as const;

/** Energies in Wh, as the interface has them: nothing is rounded. */
export function energyCsv(steps: readonly EnergyStep[]): string {
  const hasCosts = steps.some(({ costs }) => costs !== undefined);
  return renderCsv(
    ["from", "to", ...COLUMNS, ...(hasCosts ? MONEY.map((name) => `costs_${name}`) : [])],
    steps.map((step) => [
      step.from,
      step.to,
      ...COLUMNS.map((name) => step[name] ?? undefined),
      ...(hasCosts ? MONEY.map((name) => step.costs?.[name] ?? undefined) : []),
    ]),
  );
}
