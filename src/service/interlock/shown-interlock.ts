import { type ReportedLimit, strictestLimits } from "#core/interlock/interlock-report.ts";
import type { InterlockState, Measured } from "#core/interlock/outcome.ts";
import type { Problem } from "#core/text/document-reader.ts";
import type { DamagedInterlock, StoredInterlock } from "#service/ports/interlock-store.ts";
import type { WatchedInterlock } from "./interlocks.ts";

/** An interlock and what it demands, as far as that is known here. */
export interface ShownInterlock {
  readonly stored: StoredInterlock | DamagedInterlock;
  /** `unknown`: in a cloud, while its gateway is away. */
  readonly state: InterlockState | "unknown";
  readonly since: number;
  readonly why: string;
  readonly limits: readonly ReportedLimit[];
  readonly measured: readonly Measured[];
  readonly problems: readonly Problem[];
  /** In a cloud: the gateway that evaluates it. */
  readonly reportedBy: string | undefined;
  /** In a cloud: since when nobody knows whether it is still so. Undefined: it is. */
  readonly unconfirmedSince: number | undefined;
}

/** One that is evaluated here. Until that was done for the first time, it measures nothing. */
export function shownHere({ stored, outcome, problems }: WatchedInterlock): ShownInterlock {
  return {
    stored,
    state: outcome?.state ?? "blind",
    since: outcome?.since ?? stored.updatedAt,
    why: outcome?.why ?? "",
    limits: strictestLimits(outcome?.limits ?? []),
    measured: outcome?.measured ?? [],
    problems,
    reportedBy: undefined,
    unconfirmedSince: undefined,
  };
}
