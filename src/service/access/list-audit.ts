import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { AuditFilter } from "#service/ports/audit-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

export async function listAudit(
  needs: Pick<Needs, "audit">,
  call: Call,
  { filter, page }: { readonly filter: Omit<AuditFilter, "reader">; readonly page: PageRequest },
): Promise<Page<AuditEntry>> {
  return await needs.audit.list({ ...filter, reader: call.caller }, page);
}
