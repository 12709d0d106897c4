// An interlock is a limit of a site that holds whatever anybody claims. People write it as a document; `parseInterlock` turns it
// into this. Names of devices are as written: `resolveInterlock` finds what they mean.

/**
 * `connection`: the power of a connection to the grid. `circuits`: the currents of a tree of circuits. `condition`: limits while a
 * value is too high or too low. `grid_signal`: limits of the grid operator, from a contact or from a program.
 */
export const INTERLOCK_KINDS = ["connection", "circuits", "condition", "grid_signal"] as const;

/**
 * What counts while a measurement is missing or too old. There is no word for "no limit": nothing is known. `limit`: the
 * limit holds, and loads go to their safe values. `keep`: what was last known counts, for a time, and then `limit`.
 */
export const WHEN_UNKNOWN = ["limit", "keep"] as const;
type WhenUnknown = (typeof WHEN_UNKNOWN)[number];

/** `order`: the first load of the list gets what it wants first. `proportional`: all get the same part of what they want. */
export const SHARINGS = ["order", "proportional"] as const;
export type Sharing = (typeof SHARINGS)[number];

/** Whether a rising value of the control takes more power from the grid or gives more. */
export const EFFECTS = ["consumes", "feeds"] as const;
type Effect = (typeof EFFECTS)[number];

interface AnyInterlock {
  readonly displayName: string | undefined;
  /** Older measurements are unknown. */
  readonly staleMs: number;
  readonly whenUnknown: WhenUnknown;
  /** How long `keep` keeps. */
  readonly keepMs: number;
}

export interface AttributeName {
  /** Id or slug. */
  readonly device: string;
  readonly attribute: string;
}

/** A controlled device that takes part in what is shared. */
export interface Load {
  readonly device: string;
  readonly control: string;
  readonly effect: Effect;
  /** How much of what is shared one unit of the control is. Undefined: by its unit. */
  readonly perUnit: number | undefined;
  /** Telemetry of the device that measures what it really draws. Undefined: what the control reads. */
  readonly draws: string | undefined;
  /** Its value while nothing is known. Undefined: the one nearest to 0. */
  readonly safe: number | undefined;
  /** Below this value it has to be 0, such as the 6 A of a charger. */
  readonly least: number;
}

/** What loads share, and how a limit is loosened again. */
interface Shared {
  readonly sharing: Sharing;
  /** More must be free for so long before a limit rises. */
  readonly releaseMs: number;
  /** How much more, as a part of the maximum. */
  readonly margin: number;
}

export interface ConnectionInterlock extends AnyInterlock, Shared {
  readonly kind: "connection";
  readonly unit: string;
  readonly meter: AttributeName & { readonly positive: "import" | "export" };
  readonly maxImport: number | undefined;
  readonly maxExport: number | undefined;
  readonly loads: readonly Load[];
}

export interface Circuit {
  readonly name: string;
  readonly parent: string | undefined;
  /** Ampere, on each phase. */
  readonly maxCurrent: number;
  /** One attribute for each phase, or one for all. Undefined: nothing measures the whole circuit. */
  readonly meter: { readonly device: string; readonly attributes: readonly string[] } | undefined;
  /** Without a meter: what others than the loads may draw on each phase. */
  readonly unmeasured: number;
}

export const PHASES = [1, 2, 3] as const;
type Phase = (typeof PHASES)[number];

export interface CircuitLoad extends Load {
  readonly circuit: string;
  readonly phases: readonly Phase[];
}

export interface CircuitsInterlock extends AnyInterlock, Shared {
  readonly kind: "circuits";
  readonly circuits: readonly Circuit[];
  readonly loads: readonly CircuitLoad[];
}

/** Of a control, in its unit. */
export interface NamedLimit {
  readonly device: string;
  readonly control: string;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export type Test =
  | { readonly kind: "above" | "below"; readonly threshold: number; readonly hysteresis: number }
  | { readonly kind: "equals"; readonly value: string | number | boolean };

export interface ConditionInterlock extends AnyInterlock {
  readonly kind: "condition";
  readonly when: AttributeName & { readonly unit: string | undefined; readonly test: Test };
  /** It holds for so long at least. */
  readonly holdMs: number;
  readonly limits: readonly NamedLimit[];
}

export const AFTER_FAILSAFE = ["stay", "release"] as const;

export interface GridSignalInterlock extends AnyInterlock {
  readonly kind: "grid_signal";
  /** A contact, and the value that means "limited"; or claims of class grid on the controls of `failsafe`. */
  readonly from: (AttributeName & { readonly active: boolean }) | "claims";
  readonly heartbeatMs: number;
  /** Nothing is released before. */
  readonly failsafeMs: number;
  readonly afterFailsafe: (typeof AFTER_FAILSAFE)[number];
  /** While the contact says so. */
  readonly limits: readonly NamedLimit[];
  /** At the start, and while nothing is heard. */
  readonly failsafe: readonly NamedLimit[];
}

export type Interlock = ConnectionInterlock | CircuitsInterlock | ConditionInterlock | GridSignalInterlock;

/** All devices that it names, each once. */
export function devicesIn(interlock: Interlock): readonly string[] {
  const names = new Set<string>();
  if (interlock.kind === "connection") names.add(interlock.meter.device);
  if (interlock.kind === "circuits") for (const { meter } of interlock.circuits) if (meter) names.add(meter.device);
  if (interlock.kind === "condition") names.add(interlock.when.device);
  if (interlock.kind === "grid_signal" && interlock.from !== "claims") names.add(interlock.from.device);
  if ("loads" in interlock) for (const { device } of interlock.loads) names.add(device);
  if ("limits" in interlock) for (const { device } of interlock.limits) names.add(device);
  if ("failsafe" in interlock) for (const { device } of interlock.failsafe) names.add(device);
  return [...names];
}

/** As part of an address and of the source of a claim. */
export const INTERLOCK_NAME = /^[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?$/;

export const MOST_INTERLOCKS = 50;
export const MOST_LOADS = 32;
export const MOST_CIRCUITS = 32;
export const MOST_LIMITS = 32;
export const LONGEST_INTERLOCK_TEXT = 200;
export const LARGEST_LIMIT = 1e12;
