// A rule of a site as it is stored. What its code means is the business of the runner of its runtime version.
import type { Instant } from "#core/time/instant.ts";

/** V3: Lua. DECLARATIVE: YAML. */
export const RUNTIME_VERSIONS = ["V3", "DECLARATIVE"] as const;
export type RuntimeVersion = (typeof RUNTIME_VERSIONS)[number];

export interface RuleScript {
  /** Base64 of the text. */
  readonly code: string;
  readonly runtimeVersion: RuntimeVersion;
  /** As given, such as `5m`. Undefined: the script runs once and goes on by its own jobs. */
  readonly execInterval: string | undefined;
}

export interface SiteRule {
  readonly id: string;
  readonly siteId: string;
  readonly slug: string;
  readonly disabled: boolean;
  readonly script: RuleScript;
  /** Rises with each change. */
  readonly revision: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const ENGINE_STATES = ["ACTIVE", "SUSPENDED"] as const;
export type EngineState = (typeof ENGINE_STATES)[number];

/** Of a variable of a site. */
export type VariableValue = number | string | boolean;

export const MOST_RULES = 1_000;
export const MOST_CODE_BYTES = 262_144;
/** Base64 of the code of all rules of a site together. */
export const MOST_SITE_CODE = 16 * 1_048_576;
export const SHORTEST_INTERVAL_MS = 1_000;
export const LONGEST_INTERVAL_MS = 7 * 86_400_000;
export const MOST_LOG_LINES = 1_000;
export const MOST_VARIABLES = 200;
export const LONGEST_VARIABLE = 1_000;
export const LONGEST_EXPLANATION = 1_000;
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
