// A person may have another level at each site. A call about one site is made with the level of that site, and with nothing of the
// other ones; a call about no site or about many is made for the sites where the person has the level that the operation takes.
import { atLeast, highestLevel, narrow } from "#core/access/caller.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import { AppError } from "#core/app-error.ts";
import { levelRefusal, requireLevel } from "#service/access/require-level.ts";
import { deviceOfPath, siteOfCaller, siteOfPath } from "#service/operation/find-place.ts";
import type { AnyCall, FindPlace, Operation } from "#service/operation/operation.ts";
import type { Call, Needs } from "#service/ports.ts";

/** Before anything of the call is read: whether there is a site at which the caller has the level. */
export function requireSomewhere({ caller }: Pick<Call, "caller">, needed: AccessLevel): void {
  const highest = highestLevel(caller);
  if (!allows(highest, needed)) throw levelRefusal(highest, needed);
}

/** The only check of the level that decides. It is there at once unless the call's site has to be found. */
export function narrowCall(
  needs: Pick<Needs, "sites" | "devices">,
  operation: Pick<Operation, "level" | "path" | "atGateway">,
  call: AnyCall,
): AnyCall | Promise<AnyCall> {
  const { level } = operation;
  if (level === "public") return call;
  if (call.caller.siteLevels !== undefined) return narrowToSite(needs, { operation, level }, call);
  requireLevel(call.caller, level);
  return call;
}

async function narrowToSite(
  needs: Pick<Needs, "sites" | "devices">,
  { operation, level }: { readonly operation: Pick<Operation, "path" | "atGateway">; readonly level: AccessLevel },
  call: AnyCall,
): Promise<AnyCall> {
  const siteId = await siteOf(needs, operation, call);
  const caller = siteId === undefined ? atLeast(call.caller, level) : narrow(call.caller, siteId);
  requireLevel(caller, level);
  return { ...call, caller };
}

/** Undefined for what is about no single site, or about one that the caller does not see: the operation says so in its own words. */
async function siteOf(
  needs: Pick<Needs, "sites" | "devices">,
  operation: Pick<Operation, "path" | "atGateway">,
  call: AnyCall,
): Promise<string | undefined> {
  try {
    return (await placeOf(operation)?.(needs, call))?.siteId;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

function placeOf({ path, atGateway }: Pick<Operation, "path" | "atGateway">): FindPlace | undefined {
  if (atGateway !== undefined) return atGateway.place;
  if (path.includes("/:device_id")) return deviceOfPath;
  if (path.includes("/:site_id")) return siteOfPath;
  return path === "/v3/site" ? siteOfCaller : undefined;
}
