// A route: what is told to whom, and after which time to whom next.
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";

export interface RouteStep {
  /** Ids. */
  readonly channels: readonly string[];
  /** After the alert could first be told, while nobody has acknowledged it. */
  readonly afterMs: number;
}

export interface Route {
  readonly id: string;
  readonly siteId: string;
  readonly name: string;
  readonly isEnabled: boolean;
  /** This one and graver ones. */
  readonly severity: AlertSeverity;
  /** Of devices that implement one of these profiles. Empty: of all devices. */
  readonly profiles: readonly string[];
  /** While this calendar of the site is on. Undefined: always. */
  readonly hours: string | undefined;
  /** Also messages that rules send. */
  readonly tellsRules: boolean;
  readonly steps: readonly RouteStep[];
  /** What comes within this time is told together. */
  readonly groupMs: number;
  /** Undefined: nobody is reminded. */
  readonly remindMs: number | undefined;
  /** Whoever was told of an alert is told that it is over. */
  readonly tellsOver: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Of a site. */
export const MOST_ROUTES = 50;
export const MOST_STEPS = 5;
export const MOST_STEP_CHANNELS = 10;
export const MOST_ROUTE_PROFILES = 20;
export const LONGEST_ROUTE_NAME = 100;
export const LONGEST_GROUP_MS = 3_600_000;
export const SHORTEST_REMINDER_MS = 60_000;
export const LONGEST_STEP_MS = 7 * 86_400_000;
export const USUAL_GROUP_MS = 30_000;
