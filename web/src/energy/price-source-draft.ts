// A source of prices as it is typed, and as the interface takes it. Pure.
import type { NewPriceSource, PriceSource } from "#client/resources.ts";

export type SourceDraft = {
  readonly url: string;
  readonly headerName: string;
  /** Empty: the stored one stays. */
  readonly headerValue: string;
  readonly time: string;
  readonly timeFormat: PriceSource["time_format"];
  readonly price: string;
  /** A factor of the list, or `other`. */
  readonly unit: string;
  readonly scale: string;
  readonly resolution: PriceSource["resolution"];
  readonly every: string;
};

/** Factors of usual units: for a kWh, in hundredths, for a MWh. */
export const UNITS = ["1", "0.01", "0.001"] as const;
export const PAUSES = ["15m", "1h", "6h", "1d"] as const;

export function draftOfSource(source: PriceSource | undefined): SourceDraft {
  const scale = String(source?.scale ?? 0.001);
  return {
    url: source?.url ?? "",
    headerName: source?.header ?? "",
    headerValue: "",
    time: source?.time ?? "",
    timeFormat: source?.time_format ?? "rfc3339",
    price: source?.price ?? "",
    unit: UNITS.some((unit) => unit === scale) ? scale : "other",
    scale,
    resolution: source?.resolution ?? "1h",
    every: source?.every ?? "1h",
  };
}

/** With the names of the fields in which something is wrong. */
export function readSourceDraft(draft: SourceDraft): {
  readonly source: NewPriceSource;
  readonly wrong: ReadonlySet<string>;
} {
  const wrong = new Set<string>();
  const text = (field: "url" | "time" | "price") => {
    const value = draft[field].trim();
    if (value === "") wrong.add(field);
    return value;
  };
  const scale = Number((draft.unit === "other" ? draft.scale : draft.unit).trim().replace(",", "."));
  if (!Number.isFinite(scale) || scale === 0) wrong.add("scale");
  const [name, value] = [draft.headerName.trim(), draft.headerValue.trim()];
  if (name === "" && value !== "") wrong.add("headerName");
  return {
    source: {
      url: text("url"),
      time: text("time"),
      time_format: draft.timeFormat,
      price: text("price"),
      scale,
      resolution: draft.resolution,
      every: draft.every,
      ...(name !== "" && { header: { name, ...(value !== "" && { value }) } }),
    },
    wrong,
  };
}
