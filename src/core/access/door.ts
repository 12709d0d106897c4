// Through which door a call came in, as far as it is known for sure.
import type { Caller } from "./caller.ts";

/**
 * `page`: with the cookie of a session, or a sign-in there. `token`: with the text of a token. `cli`: the same, and the program says that
 * it is the command line: a hint, which any program with the token can give. `rule`, `schedule`, `rollout`: by itself, as somebody has
 * set it up. `cloud`: asked for in the cloud, which has its own log. `busbar`: the program itself.
 */
export const DOORS = ["page", "cli", "token", "rule", "schedule", "rollout", "cloud", "busbar"] as const;
export type Door = (typeof DOORS)[number];

/** What a program may say of itself, in the header `X-Busbar-Door`. */
export const DOOR_HEADER = "x-busbar-door";

/** Of a call over HTTP. A session is never taken for something else, whatever the call says. */
export function doorOfCall({ sessionId }: Pick<Caller, "sessionId">, said: string | undefined): Door {
  if (sessionId !== undefined) return "page";
  return said === "cli" ? "cli" : "token";
}

/** For what comes from outside or from the records: undefined for a door of a later version. */
export function doorOf(value: unknown): Door | undefined {
  return DOORS.find((one) => one === value);
}
