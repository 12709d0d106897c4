// Today's energy as two bars of one scale: what was produced and where it went, what was used and where it came from.
import type { SiteEnergy } from "#client/resources.ts";

type BarPart = {
  readonly name: "selfUsed" | "toGrid" | "fromGrid";
  readonly kWh: number;
  readonly share: number;
};
export type EnergyBar = {
  readonly name: "produced" | "used" /** Undefined: unknown. */;
  readonly kWh: number | undefined;
  readonly parts: readonly BarPart[];
};

type Total = Pick<SiteEnergy["total"], "produced" | "used" | "self_used" | "to_grid" | "from_grid">;

export function energyBars({ produced, used, self_used, to_grid, from_grid }: Total): readonly EnergyBar[] {
  const longest = Math.max(produced ?? 0, used ?? 0, 1);
  const part = (name: BarPart["name"], wattHours: number | null): readonly BarPart[] =>
    wattHours === null || wattHours <= 0
      ? []
      : [{ name, kWh: wattHours / 1000, share: Math.min(wattHours / longest, 1) }];
  const inKWh = (wattHours: number | null) => (wattHours === null ? undefined : wattHours / 1000);
  return [
    { name: "produced", kWh: inKWh(produced), parts: [...part("selfUsed", self_used), ...part("toGrid", to_grid)] },
    { name: "used", kWh: inKWh(used), parts: [...part("selfUsed", self_used), ...part("fromGrid", from_grid)] },
  ];
}
