import type { Moment } from "./day-shape.ts";

/** What all attributes of a device see of it at one moment. */
export interface Conditions {
  readonly now: Moment;
  /** When it last ran: now, or the moment at which it was stopped. */
  readonly running: Moment;
  readonly isStopped: boolean;
  /** An alert of severity error is active. */
  readonly isFaulty: boolean;
  /** An alert of any severity is active. */
  readonly hasAlerts: boolean;
}
