// What corrections add to the energies of a period. This is the only place, so that days, months and sites agree. Each is
// calculated anew from the points: one whose step is gone, or has another value now, adds nothing.

import type { Device } from "#core/device/device.ts";
import { adjustmentOf, type CounterCorrection } from "#core/energy/counter-correction.ts";
import type { CounterPoint } from "#core/energy/doubtful-steps.ts";
import type { Period } from "#core/energy/parse-period.ts";
import { QUARTER_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import type { SiteSource } from "#service/energy/find-sources.ts";
import { createReader } from "#service/energy/read-cells.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface AppliedCorrections {
  /** The adjustment is in Wh. Undefined: the points of the step are gone, or have other values now. */
  readonly corrections: readonly {
    readonly device: Device;
    readonly correction: CounterCorrection;
    readonly adjustment: number | undefined;
  }[];
  /** What they add to the quarters of an hour, by their start, in the unit of the counter. */
  readonly adjustments: (deviceId: string, attribute: string) => ReadonlyMap<number, number>;
  readonly isCorrected: (deviceId: string, attribute: string, after: CounterPoint) => boolean;
}

export async function applyCorrections(
  needs: Pick<Needs, "corrections" | "telemetry">,
  call: Call,
  { sources, range }: { readonly sources: readonly SiteSource[]; readonly range: Period },
): Promise<AppliedCorrections> {
  const all = await needs.corrections.ofDevices([...new Set(sources.map(({ device }) => device.id))]);
  const corrections: AppliedCorrections["corrections"][number][] = [];
  const sums = new Map<string, Map<number, number>>();
  for (const { device, counter, counterBack } of sources) {
    for (const used of [counter, counterBack]) {
      const own = (all.get(device.id) ?? []).filter(
        ({ attribute, at }) => attribute === used?.id && at >= range.from && at < range.to,
      );
      for (const correction of own) {
        const counted = await countedAt(needs, call, { device, correction });
        const adjustment = counted === undefined ? undefined : adjustmentOf(correction, counted);
        const key = keyOf(device.id, correction.attribute);
        const quarters = sums.get(key) ?? new Map<number, number>();
        const quarter = Math.floor(correction.at / QUARTER_MS) * QUARTER_MS;
        sums.set(key, quarters.set(quarter, (quarters.get(quarter) ?? 0) + (adjustment ?? 0)));
        const wattHours = adjustment === undefined ? undefined : adjustment * (used?.factor ?? 1);
        corrections.push({ device, correction, adjustment: wattHours });
      }
    }
  }
  return {
    corrections,
    adjustments: (deviceId, attribute) => sums.get(keyOf(deviceId, attribute)) ?? new Map(),
    isCorrected: (deviceId, attribute, after) =>
      (all.get(deviceId) ?? []).some(
        (one) => one.attribute === attribute && one.at === after.at && one.value === after.value,
      ),
  };
}

const keyOf = (deviceId: string, attribute: string): string => `${deviceId} ${attribute}`;

/** What the points count at the moment of the step. Undefined when it is not there as it was. */
async function countedAt(
  needs: Pick<Needs, "telemetry">,
  call: Call,
  { device, correction }: { readonly device: Device; readonly correction: CounterCorrection },
): Promise<number | undefined> {
  const { attribute, at, value } = correction;
  const read = createReader(needs, call, { device, range: { from: at, to: instant(at + 1) } });
  const [last] = await read(attribute, "last", { granularityMs: 1 });
  if (last?.value !== value) return undefined;
  const [delta] = await read(attribute, "delta", { granularityMs: 1 });
  return delta?.value;
}
