import type { Caller } from "#core/access/caller.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import { type AppError, refuse } from "#core/app-error.ts";

export function requireLevel(caller: Caller, needed: AccessLevel): void {
  if (allows(caller.level, needed)) return;
  throw levelRefusal(caller.level, needed);
}

export function levelRefusal(held: AccessLevel, needed: AccessLevel): AppError {
  return refuse("forbidden", `this takes access level ${needed}; the token has ${held}`, { needed });
}

export function requireAllSites(caller: Caller): void {
  if (caller.sites === "all") return;
  throw refuse("forbidden", "this takes a token for all sites; the token is limited to some");
}
