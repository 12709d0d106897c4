import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import type { Instant } from "#core/time/instant.ts";

export interface TokenStore {
  insert(token: TokenRecord, trail: AuditEntry): Promise<void>;
  /** Sets the admin token to its current value; its creation and last use stay known. */
  putAdmin(token: TokenRecord): Promise<void>;
  find(id: string): Promise<TokenRecord | undefined>;
  /** All tokens; there are few. Ordered by id, which is the order of creation. */
  all(): Promise<readonly TokenRecord[]>;
  /** False when there is no such token or it is revoked already. */
  revoke(id: string, at: Instant, trail: AuditEntry): Promise<boolean>;
  /**
   * On a gateway: these are the tokens of the cloud, and no others. A token of the gateway itself is never replaced.
   * Returns those that are gone or new.
   */
  putOfCloud(tokens: readonly TokenRecord[]): Promise<readonly string[]>;
  noteUse(uses: ReadonlyMap<string, Instant>): Promise<void>;
}
