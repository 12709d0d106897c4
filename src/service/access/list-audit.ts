import type { AuditEntry } from "#core/access/audit-entry.ts";
import { AppError } from "#core/app-error.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { AuditFilter } from "#service/ports/audit-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface ListAuditNeeds extends Pick<Needs, "audit" | "devices"> {
  readonly refusals: Pick<RefusalLog, "flush">;
}

export async function listAudit(
  needs: ListAuditNeeds,
  call: Call,
  { filter, page }: { readonly filter: Omit<AuditFilter, "reader">; readonly page: PageRequest },
): Promise<Page<AuditEntry>> {
  // Flushed first, so that a caller finds what it was just refused. If the disk takes no entry, the log is read as it
  // is.
  await needs.refusals.flush().catch(() => {});
  const names = filter.deviceIds;
  const deviceIds = names && (await Promise.all(names.map((name) => deviceIdOf(needs, call, name))));
  return await needs.audit.list({ ...filter, deviceIds, reader: call.caller }, page);
}

/** The name itself for what is deleted or not visible: which entries are listed is up to what the caller may see of the log. */
async function deviceIdOf(needs: ListAuditNeeds, call: Call, name: string): Promise<string> {
  try {
    return (await visibleDevice(needs, call, name)).id;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return name;
    throw error;
  }
}
