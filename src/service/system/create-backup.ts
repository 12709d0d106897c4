import { auditTrail } from "#service/access/audit-trail.ts";
import type { Backups } from "#service/ports/backups.ts";
import type { Call, Needs } from "#service/ports.ts";

export type BackupNeeds = Pick<Needs, "audit" | "now" | "newId"> & { readonly backups: Backups };

/** It holds every key and every secret, so the audit log says who took it before the first byte leaves. */
export async function createBackup(needs: BackupNeeds, call: Call): Promise<AsyncGenerator<Uint8Array>> {
  const bytes = await needs.backups.send();
  try {
    await needs.audit.append([auditTrail(needs, call, { target: {} })]);
  } catch (error) {
    await bytes.return(undefined);
    throw error;
  }
  return bytes;
}
