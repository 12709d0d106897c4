// One partition of a shared journal in the memory of a node: the points that are not sealed, up to a commit.
//
// Rows are applied in the order of their commits. A mark removes what was sealed; rows that came in while another node
// sealed are not in its mark and stay.
import { HOUR_MS } from "#core/time/hour.ts";
import { KnownTexts } from "#tuning/known-texts.ts";
import { type BatchReader, readBatch } from "./batch.ts";
import type { HotHour } from "./hot-hour.ts";
import { HotStore } from "./hot-store.ts";
import { kindOf } from "./intake.ts";
import { type DeviceHour, parseSealMark, type SealMark } from "./seal-mark.ts";
import type { ReadPartition, SharedRow } from "./shared-store.ts";

/** An hour of which only the rows up to `last` were sealed: the others have to be read again. */
export interface Remainder extends DeviceHour {
  readonly last: number;
}

const keyOf = (device: number, hour: number) => `${device}/${hour}`;

export class SharedPartition {
  readonly hot = new HotStore();
  /** The number of the newest commit that is in memory. */
  last = 0;
  epoch = 0;
  /** Both on a monotonic clock. */
  readAt = 0;
  usedAt = 0;
  readonly #texts = new KnownTexts();

  /** Hours that need rows from before these ones, besides the rows themselves. */
  remainders(rows: readonly SharedRow[]): readonly Remainder[] {
    const found = new Map<string, Remainder>();
    for (const { last, hours } of marksOf(rows)) {
      for (const { device, hour } of hours) {
        const hot = this.hot.get(device, hour);
        const isMixed = hot !== undefined && hot.firstSequence <= last && hot.lastSequence > last;
        const key = keyOf(device, hour);
        if (isMixed && !found.has(key)) found.set(key, { device, hour, last });
      }
    }
    return [...found.values()];
  }

  /** `kept` has the rows of the remainders, as far as they are up to the newest commit of the reading. */
  apply({ last, epoch, rows }: ReadPartition, kept: ReadonlyMap<Remainder, readonly SharedRow[]>): void {
    const marks = marksOf(rows);
    const sealed = new Map<string, number>();
    for (const mark of marks) {
      for (const { device, hour } of mark.hours) {
        const hot = this.hot.get(device, hour);
        if (hot !== undefined && hot.firstSequence <= mark.last) this.hot.remove(hot);
        const key = keyOf(device, hour);
        sealed.set(key, Math.max(sealed.get(key) ?? 0, mark.last));
      }
    }
    const apart = new Set([...kept.keys()].map(({ device, hour }) => keyOf(device, hour)));
    const isSealed = (key: string, commit: number) => commit <= (sealed.get(key) ?? 0);
    for (const row of rows) {
      if (row.isMark) continue;
      this.#read(row, {
        isLeftOut: (device, hour) => {
          if (sealed.size === 0) return false;
          const key = keyOf(device, hour);
          return apart.has(key) || isSealed(key, row.commit);
        },
        forget: (device) => this.hot.removeDevice(device),
      });
    }
    for (const [{ device, hour }, own] of kept) {
      for (const row of own) {
        if (row.isMark || isSealed(keyOf(device, hour), row.commit)) continue;
        this.#read(row, {
          isLeftOut: (one, at) => one !== device || at !== hour,
          forget: (one) => {
            const hot = one === device ? this.hot.get(device, hour) : undefined;
            if (hot !== undefined) this.hot.remove(hot);
          },
        });
      }
    }
    this.last = last;
    this.epoch = epoch;
  }

  #read(
    { batch, commit }: SharedRow,
    { isLeftOut, forget }: Pick<BatchReader, "forget"> & { isLeftOut(device: number, hour: number): boolean },
  ): void {
    let place: { readonly device: number; readonly at: number } | undefined;
    let hour: HotHour | undefined;
    const reader: BatchReader = {
      define: () => {},
      message: (device, at) => {
        place = isLeftOut(device, Math.floor(at / HOUR_MS)) ? undefined : { device, at };
        hour = undefined;
      },
      value: (series, value) => {
        if (hour?.push(series, value) || place === undefined) return;
        hour ??= this.hot.begin(place.device, place.at, commit);
        if (hour.push(series, value)) return;
        this.hot.addColumn(hour, series, kindOf(value));
        hour.push(series, value);
      },
      forget,
    };
    readBatch(batch, reader, this.#texts);
  }
}

function marksOf(rows: readonly SharedRow[]): readonly SealMark[] {
  return rows.flatMap((row) => (row.isMark ? [parseSealMark(row.batch)] : []));
}
