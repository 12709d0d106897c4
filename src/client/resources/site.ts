import type { AuthorizedRole } from "./access.ts";

export type Location = {
  readonly name: string;
  readonly latitude?: number;
  readonly longitude?: number;
};

export type Site = {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  /** True while nobody has said that the time zone is right. */
  readonly timezone_assumed?: boolean;
  readonly version: "V3";
  readonly authorized_role: AuthorizedRole;
  readonly location?: Location;
  readonly created_at: string;
  readonly updated_at: string;
};

/** How long a site's telemetry is kept: durations, or `unlimited`. */
export type SiteRetention = {
  /** null: the installation's default holds. */
  readonly default: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly installation_default: string;
};

/** Energies in Wh, powers in W. What is not known is null. */
export type SiteEnergy = {
  readonly site_id: string;
  readonly timezone: string;
  readonly from: string;
  readonly to: string;
  readonly total: Readonly<
    Record<
      | "produced"
      | "used"
      | "self_used"
      | "from_grid"
      | "to_grid"
      | "charged"
      | "discharged"
      | "self_consumption"
      | "self_sufficiency",
      number | null
    >
  >;
  readonly peak_from_grid: { readonly power: number; readonly at: string } | null;
  readonly devices: readonly {
    readonly device_id: string;
    readonly name: string;
    readonly slug: string;
    readonly role: "production" | "battery" | "grid" | "load";
    readonly energy: number | null;
    readonly energy_back: number | null;
    readonly basis: "counter" | "power" | null;
    readonly hours_known: number;
    readonly hours: number;
    readonly power: number | null;
  }[];
  readonly now: Readonly<Record<"production" | "battery" | "grid" | "load", number | null>>;
  /** Steps of counters that a person should look at. They do not change the figures. */
  readonly doubtful: readonly {
    readonly device_id: string;
    readonly slug: string;
    readonly attribute: string;
    readonly kind: "fall" | "rise";
    readonly before: number;
    readonly before_at: string;
    readonly value: number;
    readonly at: string;
  }[];
  readonly doubtful_cut: boolean;
  /** What people said about steps of the period. */
  readonly corrections: readonly (CounterCorrection & {
    readonly device_id: string;
    readonly slug: string;
    /** Wh that it adds to the figures. Null: the points of the step are gone, or have other values now. */
    readonly adjustment: number | null;
  })[];
};

export type CorrectionKind = "counter_replaced" | "value_wrong" | "accept";

/** What somebody said about a doubtful step of a counter. */
export type CounterCorrection = {
  readonly id: string;
  readonly attribute: string;
  readonly before: number;
  readonly before_at: string;
  readonly value: number;
  readonly at: string;
  readonly kind: CorrectionKind;
  readonly new_start: number | null;
  readonly note: string | null;
  readonly author: { readonly token_id: string; readonly name: string };
  readonly created_at: string;
};
