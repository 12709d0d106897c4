import type { Command } from "#core/blueprint/blueprint.ts";
import type { Direction } from "#core/energy/rates.ts";

/** What is known of a site when a rule is checked. What is undefined is not checked. */
export interface RuleSite {
  /** By id and by slug. Undefined: there is such a device, and nobody knows what it has. */
  readonly devices: ReadonlyMap<string, RuleSiteDevice | undefined>;
  readonly variables: ReadonlySet<string> | undefined;
  readonly calendars?: ReadonlySet<string> | undefined;
  /** What its tariff has prices for. Empty: it has no tariff. */
  readonly prices?: ReadonlySet<Direction> | undefined;
  /** Whether it is known where the sun rises. */
  readonly hasLocation: boolean;
}

export interface RuleSiteDevice {
  /** Types are those of telemetry, such as `float`. */
  readonly attributes: ReadonlyMap<string, { readonly type: string; readonly unit: string | undefined }>;
  readonly controls: ReadonlyMap<
    string,
    { readonly unit: string | undefined; readonly min: number; readonly max: number }
  >;
  /** By id and by alias. */
  readonly commands: ReadonlyMap<string, Pick<Command, "arguments">> | undefined;
  readonly alerts: ReadonlySet<string> | undefined;
}
