// Whoever was kept out is in the audit log, whichever way the call came.
import type { AuditTarget } from "#core/access/audit-entry.ts";
import { type Caller, seesSite } from "#core/access/caller.ts";
import type { Door } from "#core/access/door.ts";
import type { AppError, ErrorCode } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";

export interface RecordNeeds {
  readonly refusals: Pick<RefusalLog, "note" | "flush">;
  readonly devices: Pick<DeviceStore, "findIn" | "findBySlug">;
}

interface RefusedOperation {
  /** Undefined when no valid token came with the call. */
  readonly caller: Caller | undefined;
  /** Undefined when nothing answers at the path. */
  readonly operation: string | undefined;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly door?: Door | undefined;
}

/** A store that does not answer delays no refusal for longer. The entry is stored later, then. */
const STORE_MS = 1_000;

/** Records the refusal if somebody was kept out. Whoever reads the audit log afterwards finds the entry, on any node. */
export async function recordRefusal(needs: RecordNeeds, call: RefusedOperation, error: AppError): Promise<void> {
  if (!isKeptOut(call, error)) return;
  const { caller, operation: action = "unknown", params, requestId, remoteAddress, door } = call;
  const isFirst = needs.refusals.note({
    caller,
    action,
    target: caller === undefined ? {} : await targetOf(needs, caller, params),
    code: error.code,
    message: error.message,
    requestId,
    remoteAddress,
    door,
  });
  // Only counts may come later.
  if (isFirst) await stored(needs);
}

/** These say that the caller may not do it. */
export const FORBIDS: ReadonlySet<ErrorCode> = new Set(["unauthorized", "forbidden", "foreign_origin"]);
/** These say that something does not exist. */
export const MISSING: ReadonlySet<ErrorCode> = new Set([
  "not_found",
  "command_not_found",
  "device_not_found",
  "attribute_not_found",
  "telemetrypersistence/NO_TELEMETRY_ATTRIBUTES_FOUND",
  "unprocessable_entity",
  "no_data",
  "route_not_found",
]);

/**
 * Whether somebody was kept out. A token for some sites may not see the others: what does not exist for it may be
 * hidden from it.
 */
function isKeptOut({ caller, operation }: RefusedOperation, { refusals }: AppError): boolean {
  if (refusals.some(({ code }) => FORBIDS.has(code))) return true;
  const mayBeHidden = operation !== undefined && caller !== undefined && caller.sites !== "all";
  return mayBeHidden && refusals.some(({ code }) => MISSING.has(code));
}

async function stored({ refusals }: RecordNeeds): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STORE_MS);
  });
  await Promise.race([refusals.flush().catch(() => {}), late]);
  clearTimeout(timer);
}

/**
 * A site's own people find the entry only if the caller sees the site: nobody writes into a site's log just by naming
 * it.
 */
async function targetOf(needs: RecordNeeds, caller: Caller, params: RefusedOperation["params"]): Promise<AuditTarget> {
  const device = await seenDevice(needs, caller, params["device_id"]);
  const named = params["site_id"];
  const siteId = named !== undefined && seesSite(caller, named) ? named : device?.siteId;
  const deviceId = device?.id ?? params["device_id"];
  return {
    ...(siteId !== undefined && { siteId }),
    ...(deviceId !== undefined && { deviceId }),
    ...(params["token_id"] !== undefined && { tokenId: params["token_id"] }),
  };
}

async function seenDevice(
  needs: RecordNeeds,
  caller: Caller,
  idOrSlug: string | undefined,
): Promise<Device | undefined> {
  if (idOrSlug === undefined) return undefined;
  try {
    return await visibleDevice(needs, { caller }, idOrSlug);
  } catch {
    return undefined;
  }
}
