import type { JsonObject } from "./json.ts";

/** What becomes of the next command of a simulated device. */
type NextCommand = {
  readonly kind: "fail" | "slow" | "silent";
  /** Only this command; without it any. */
  readonly command?: string | null;
  readonly times?: number;
  readonly message?: string | null;
  /** A duration. */
  readonly delay?: string;
  readonly progress?: boolean;
};

/** What a simulated device is doing, and what was changed about it. */
export type Simulation = {
  readonly seed: number;
  readonly speed: number;
  readonly paused: boolean;
  /** A duration. */
  readonly interval: string;
  readonly simulated_at: string;
  /** Held values. */
  readonly telemetry: JsonObject;
  readonly properties: JsonObject;
  /** Held alerts: true is raised, false is cleared. */
  readonly alerts: Readonly<Record<string, boolean>>;
  readonly next_command: NextCommand | null;
  /** What commands have set. */
  readonly written: JsonObject;
  readonly stopped: boolean;
  readonly current: {
    readonly telemetry: JsonObject;
    readonly properties: JsonObject;
    readonly alerts: readonly string[];
  };
};

/** What is not given stays; a null among values and alerts gives back what was held. */
export type SimulationChange = {
  /** Gives back as a whole, before anything else. */
  readonly release?: readonly ("telemetry" | "properties" | "alerts" | "next_command" | "written")[];
  readonly seed?: number;
  readonly speed?: number;
  /** What time it is for the device from now on. */
  readonly simulated_at?: string;
  readonly paused?: boolean;
  readonly interval?: string;
  readonly telemetry?: JsonObject;
  readonly properties?: JsonObject;
  readonly alerts?: Readonly<Record<string, boolean | null>>;
  readonly next_command?: NextCommand;
};
