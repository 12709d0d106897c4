/** A blueprint that many devices get, in stages. */
export type Rollout = {
  readonly id: string;
  readonly name: string;
  readonly blueprint_id: string;
  readonly state: "RUNNING" | "PAUSED" | "HALTED" | "DONE" | "ABORTED";
  readonly reason: string | null;
  /** From 1. */
  readonly stage: number;
  /** How many devices have the blueprint after each stage. */
  readonly stages: readonly number[];
  readonly watch_seconds: number;
  readonly timeout_seconds: number;
  readonly max_failures: number;
  readonly devices: {
    readonly total: number;
    readonly waiting: number;
    /** Those of the waiting devices of this stage whose gateway is not connected. */
    readonly away: number;
    readonly assigning: number;
    readonly watched: number;
    readonly done: number;
    readonly failed: number;
    readonly skipped: number;
  };
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type RolloutDevice = {
  readonly device_id: string;
  readonly site_id: string;
  readonly stage: number;
  readonly state: "WAITING" | "ASSIGNING" | "WATCHED" | "DONE" | "FAILED" | "SKIPPED";
  readonly since: string;
  readonly reason: string | null;
  readonly former_blueprint_id: string | null;
};
