// Who controlled what, as stretches of time. Pure.
import type { Control, ControlRecord } from "#client/resources.ts";
import type { Range } from "./range.ts";

export type ControlBand = {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  /** Null: nobody wanted a value, limits held it there. */
  readonly class: ControlRecord["class"];
  readonly source: string;
  readonly source_name: string | null;
  readonly reason: string;
  /** The device did not follow what was written. */
  readonly isIgnored: boolean;
};

/** The bands of one control. */
export type ControlStrip = {
  readonly device: string;
  readonly control: Pick<Control, "id" | "display_name" | "type" | "unit">;
  readonly bands: readonly ControlBand[];
};

/**
 * An entry holds until the next one of its control. `end` is the last moment that is known. Where nobody controlled anything, there
 * is no band.
 */
export function controlBands(records: readonly ControlRecord[], { from, to }: Range): readonly ControlBand[] {
  const sorted = [...records].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const bands: ControlBand[] = [];
  for (const [index, record] of sorted.entries()) {
    const next = sorted[index + 1];
    const begin = Math.max(Date.parse(record.at), from);
    const end = Math.min(next === undefined ? to : Date.parse(next.at), to);
    if (record.value === null || end <= begin) continue;
    const band = {
      from: begin,
      to: end,
      value: record.value,
      class: record.class,
      source: record.source ?? "",
      source_name: record.source_name,
      reason: record.reason ?? "",
      isIgnored: record.follow === "not_followed",
    };
    const last = bands.at(-1);
    if (last !== undefined && last.to === begin && isSame(last, band)) bands[bands.length - 1] = { ...last, to: end };
    else bands.push(band);
  }
  return bands;
}

function isSame(one: ControlBand, other: ControlBand): boolean {
  return (
    one.value === other.value &&
    one.class === other.class &&
    one.source === other.source &&
    one.reason === other.reason &&
    one.isIgnored === other.isIgnored
  );
}

export const bandAt = (bands: readonly ControlBand[], at: number): ControlBand | undefined =>
  bands.find(({ from, to }) => at >= from && at < to);

export type ControlColumns = {
  readonly header: readonly string[];
  /** Moments at which somebody else begins to control something, or wants something else. */
  readonly starts: readonly number[];
  readonly cellsAt: (at: number) => readonly (string | number | undefined)[];
};

/** For a file: what each control was set to, and by whom. Empty where nobody controlled it. */
export function controlColumns(strips: readonly ControlStrip[]): ControlColumns {
  return {
    header: strips.flatMap(({ device, control: { id, unit } }) => [
      `${device}:${id} set to${unit === null ? "" : ` (${unit})`}`,
      `${device}:${id} set by`,
    ]),
    starts: strips.flatMap(({ bands }) => bands.map(({ from }) => from)),
    cellsAt: (at) =>
      strips.flatMap(({ bands }) => {
        const band = bandAt(bands, at);
        return band === undefined ? [undefined, undefined] : [band.value, whoOf(band)];
      }),
  };
}

const whoOf = ({ class: kind, source, source_name }: ControlBand): string =>
  kind === null ? "limits" : `${kind} ${source_name ?? source}`.trim();
