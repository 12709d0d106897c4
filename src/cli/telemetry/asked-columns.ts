import type { TimeseriesQuestion } from "#client/resources.ts";
import type { TelemetryType } from "#core/blueprint/blueprint.ts";
import { type ResolvedAggregation, resolveAggregation } from "#core/telemetry/aggregation.ts";
import { printable } from "#core/text/printable.ts";
import type { Column } from "./describe-columns.ts";
import type { SeriesSettings } from "./series-settings.ts";

/** An attribute that is asked for, and its settings where they differ from those for all. */
export type AskedColumn = Column & { readonly own: SeriesSettings };

/** A column of the answer. */
export type ShownColumn = Column & {
  readonly aggregation: string;
  readonly granularity: string;
  /** What distinguishes it from others of the same attribute; empty if nothing does. */
  readonly label: string;
};

type Settings = SeriesSettings & { readonly granularity: string };

export const itemOf = ({ device, attribute, own }: AskedColumn): TimeseriesQuestion["telemetry"][number] => ({
  device,
  attribute,
  ...own,
});

/** The columns in the order of the answer: `min_max` gives two. */
export function shownColumns(asked: readonly AskedColumn[], settings: Settings): readonly ShownColumn[] {
  return asked.flatMap(({ own, ...column }) => {
    const { aggregation = "auto", granularity } = { ...settings, ...own };
    const resolved: readonly (ResolvedAggregation | string)[] = resolveAggregation(aggregation, typeOf(column));
    return (resolved.length === 0 ? [aggregation] : resolved).map((one) => {
      const isNamed = own.aggregation !== undefined || aggregation === "min_max";
      const label = [isNamed ? one : "", own.granularity ?? ""].filter((part) => part !== "").join(" ");
      return { ...column, aggregation: one, granularity, label };
    });
  });
}

/** How people read it: `meter-1:power max 5m`. */
export function nameOf({ device, attribute, label }: ShownColumn): string {
  return printable(`${device}:${attribute}${label === "" ? "" : ` ${label}`}`);
}

const TYPES: readonly TelemetryType[] = ["boolean", "string", "integer", "float", "array_of_strings", "alerts"];

/** A type that only a newer server knows is shown as text. */
function typeOf({ type }: Column): TelemetryType {
  return TYPES.find((one) => one === type) ?? "string";
}
