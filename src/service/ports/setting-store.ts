import type { AuditEntry } from "#core/access/audit-entry.ts";

/** Settings that were changed while the service ran, as texts by their names. They win over the configuration. */
export interface SettingStore {
  all(): Promise<ReadonlyMap<string, string>>;
  put(name: string, value: string, trail: AuditEntry): Promise<void>;
  /** False when it was not changed. */
  delete(name: string, trail: AuditEntry): Promise<boolean>;
}
