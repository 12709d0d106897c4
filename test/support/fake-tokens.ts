import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { TokenStore } from "#service/ports/token-store.ts";

/** Tokens in memory, which answer at once unless the test holds an answer back. */
export class FakeTokens implements TokenStore {
  readonly stored = new Map<string, TokenRecord>();
  readonly trails: AuditEntry[] = [];
  /** Ids that were looked up. */
  readonly looked: string[] = [];
  readonly noted: ReadonlyMap<string, Instant>[] = [];
  #held: Promise<unknown> = Promise.resolve();

  constructor(...tokens: readonly TokenRecord[]) {
    for (const token of tokens) this.stored.set(token.id, token);
  }

  /** Calls begun until `release` see the tokens as they are when begun, and are answered only after it. */
  hold(): { readonly release: () => void; readonly fail: (error: Error) => void } {
    const gate = Promise.withResolvers<void>();
    gate.promise.catch(() => {});
    this.#held = gate.promise;
    const end = (settle: () => void) => () => {
      this.#held = Promise.resolve();
      settle();
    };
    return { release: end(gate.resolve), fail: (error) => end(() => gate.reject(error))() };
  }

  async insert(token: TokenRecord, trail: AuditEntry): Promise<void> {
    await this.#held;
    this.stored.set(token.id, token);
    this.trails.push(trail);
  }

  async putAdmin(token: TokenRecord): Promise<void> {
    await this.#held;
    this.stored.set(token.id, token);
  }

  async putOfCloud(tokens: readonly TokenRecord[]): Promise<readonly string[]> {
    for (const token of tokens) this.stored.set(token.id, token);
    return tokens.map(({ id }) => id);
  }

  async find(id: string): Promise<TokenRecord | undefined> {
    this.looked.push(id);
    const seen = this.stored.get(id);
    await this.#held;
    return seen;
  }

  async all(): Promise<readonly TokenRecord[]> {
    return [...this.stored.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async revoke(id: string, at: Instant, trail: AuditEntry): Promise<boolean> {
    const token = this.stored.get(id);
    if (token === undefined || token.revokedAt !== undefined) return false;
    this.stored.set(id, { ...token, revokedAt: at });
    this.trails.push(trail);
    return true;
  }

  async noteUse(uses: ReadonlyMap<string, Instant>): Promise<void> {
    await this.#held;
    this.noted.push(uses);
    for (const [id, at] of uses) {
      const token = this.stored.get(id);
      const lastUsedAt = instant(Math.max(token?.lastUsedAt ?? 0, at));
      if (token !== undefined) this.stored.set(id, { ...token, lastUsedAt });
    }
  }
}
