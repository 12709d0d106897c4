import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { Call } from "#service/ports.ts";

/** A call by a token of that level for those sites. */
export function callBy(level: AccessLevel, sites: SiteScope = "all"): Call {
  return {
    caller: { tokenId: `token of ${level}`, tokenName: level, level, sites },
    operation: "test",
    requestId: "request-1",
    remoteAddress: "127.0.0.1",
  };
}

/** `a b` are the sites a and b; `all` is every site, and nothing is none. */
export function parseScope(text: string): SiteScope {
  return text === "all" ? "all" : new Set(text.split(" ").filter(Boolean));
}
