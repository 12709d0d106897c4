// The steps of a period as a table: CSV, or rows for Parquet. The figures are those of the JSON answer.
import type { ParquetSettings } from "#core/telemetry/render/renderers.ts";
import type { BlockColumn, RowBlock } from "#core/telemetry/row-block.ts";
import type { EnergyAnswer } from "#service/energy/energy-wire.ts";

type Step = NonNullable<EnergyAnswer["energy"]["steps"]>[number];
type Cell = number | boolean | null;

const GROUPS = [
  ...["solar", "production", "from_grid", "to_grid", "charged", "discharged"],
  ...["car", "hydrogen", "load", "rest", "used", "self_consumption", "self_sufficiency"],
  ...["hours_known", "hours", "is_complete", "doubtful"],
] as readonly (keyof Step)[];

/** After the times. Energies in Wh, money in the currency, CO2 in g. */
const COLUMNS: readonly { readonly name: string; readonly cell: (step: Step) => Cell }[] = [
  ...GROUPS.map((name) => ({ name, cell: (step: Step) => step[name] as Cell })),
  { name: "cost_import", cell: ({ costs }) => costs?.import ?? null },
  { name: "cost_export", cell: ({ costs }) => costs?.export ?? null },
  { name: "cost_net", cell: ({ costs }) => costs?.net ?? null },
  { name: "co2", cell: ({ costs }) => costs?.co2 ?? null },
  { name: "unpriced_import", cell: ({ costs }) => costs?.unpriced_energy.import ?? null },
  { name: "unpriced_export", cell: ({ costs }) => costs?.unpriced_energy.export ?? null },
];

export function energyCsv({ energy }: EnergyAnswer): string {
  const lines = (energy.steps ?? []).map((step) =>
    [step.from, step.to, ...COLUMNS.map(({ cell }) => cell(step) ?? "")].join(","),
  );
  return `${[["from", "to", ...COLUMNS.map(({ name }) => name)].join(","), ...lines].join("\n")}\n`;
}

/** The time of a row is the start of its step. */
export function energyRows({ energy }: EnergyAnswer): { readonly block: RowBlock; readonly settings: ParquetSettings } {
  const steps = energy.steps ?? [];
  const kindOf = (name: string) => (name === "is_complete" ? "boolean" : "number");
  const to: BlockColumn = {
    kind: "text",
    values: steps.map((step) => step.to),
    presence: new Uint8Array(steps.length).fill(1),
  };
  const columns = COLUMNS.map(({ name, cell }): BlockColumn => {
    const cells = steps.map(cell);
    const presence = Uint8Array.from(cells, (one) => Number(one !== null));
    return kindOf(name) === "boolean"
      ? { kind: "boolean", values: Uint8Array.from(cells, Number), presence }
      : { kind: "number", values: Float64Array.from(cells, Number), presence };
  });
  return {
    block: {
      count: steps.length,
      times: Float64Array.from(steps, ({ from }) => Date.parse(from)),
      timeUnitMs: 1,
      repeats: new Uint32Array(steps.length),
      stepMs: 0,
      columns: [to, ...columns],
    },
    settings: {
      columns: [{ name: "to", kind: "text" }, ...COLUMNS.map(({ name }) => ({ name, kind: kindOf(name) }) as const)],
      notes: {
        timezone: energy.timezone,
        period: JSON.stringify(energy.period),
        ...(energy.costs && { currency: energy.costs.currency }),
      },
    },
  };
}
