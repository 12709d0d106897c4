import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import type { AuditFilter } from "#service/ports/audit-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface ListAuditNeeds extends Pick<Needs, "audit"> {
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
  return await needs.audit.list({ ...filter, reader: call.caller }, page);
}
