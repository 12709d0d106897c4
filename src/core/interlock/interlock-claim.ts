import { type LimitClaim, limitClaim } from "./apply-limits.ts";
import type { Interlock } from "./interlock.ts";
import type { ReportedLimit } from "./interlock-report.ts";

interface Demanding {
  readonly name: string;
  /** Undefined: it is damaged. */
  readonly interlock: Pick<Interlock, "kind" | "displayName"> | undefined;
  readonly why: string;
  readonly since: number;
}

type Demand = Omit<ReportedLimit, "unit"> & { readonly isWaiting?: boolean };

/** What an interlock demands of a control, as a claim. */
export function interlockClaim(
  { name, interlock, why, since }: Demanding,
  { deviceId, control, kind, value, isHolding, isWaiting = false }: Demand,
): LimitClaim {
  const title = interlock?.displayName ?? name;
  return {
    claim: limitClaim({
      name,
      class: interlock?.kind === "grid_signal" ? "grid" : "interlock",
      reason: `${title}: ${why}`,
      deviceId,
      control,
      kind,
      value,
      since,
    }),
    isHolding,
    isWaiting,
  };
}
