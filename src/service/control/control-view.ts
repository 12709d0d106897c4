import type { Claim } from "#core/control/claim.ts";
import type { Control } from "#core/control/control.ts";
import type { ControlState } from "#core/control/control-writer.ts";
import type { Resolution } from "#core/control/resolve-claims.ts";

/** How a control stands at a moment. */
export interface ControlView {
  readonly deviceId: string;
  readonly control: Control;
  readonly resolution: Resolution;
  readonly state: ControlState;
  readonly measured: { readonly value: number; readonly at: number } | undefined;
  /** All that hold, also those that say nothing now. */
  readonly claims: readonly Claim[];
  /** In a cloud: since when nobody knows whether it is still so. Undefined: it is. */
  readonly unconfirmedSince?: number | undefined;
}

/** Who claims it. */
export function sourcesIn({
  claims,
  resolution: { winner, losers, bounds },
}: ControlView): readonly (string | undefined)[] {
  return [...claims, winner, ...losers, bounds.minBy, bounds.maxBy].map((claim) => claim?.source);
}
