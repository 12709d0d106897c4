import type { AuditEntry } from "#client/resources.ts";
import { t } from "./messages.ts";

export const DOORS = [
  "page",
  "cli",
  "token",
  "rule",
  "schedule",
  "rollout",
  "cloud",
  "busbar",
] as const satisfies readonly AuditEntry["door"][];

/** How a call came, such as "in the page"; empty where nobody noted it, and for what a later server says. */
export function doorText(door: AuditEntry["door"] | undefined): string {
  return door === null || door === undefined ? "" : (t[`door_${door}`] ?? "");
}
