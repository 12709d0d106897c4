import type { Session } from "#core/access/session.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { NewSession, NewSignInCode, Renewal, SessionStore, SignInCode } from "#service/ports/session-store.ts";

/** Sessions in memory, for tests of what is above the store. */
export class FakeSessions implements SessionStore {
  readonly stored = new Map<string, Session>();
  readonly codes = new Map<string, SignInCode>();
  /** How many were looked up. */
  looked = 0;
  /** How many renewals were asked for. */
  renewals = 0;
  /** What the next renewals reject with. */
  failure: Error | undefined;

  async insert({ session, replaces }: NewSession): Promise<readonly string[]> {
    this.stored.set(session.id, session);
    return replaces !== undefined && this.stored.delete(replaces) ? [replaces] : [];
  }

  async find(id: string): Promise<Session | undefined> {
    this.looked++;
    return this.stored.get(id);
  }

  async all(): Promise<readonly Session[]> {
    return [...this.stored.values()];
  }

  async renew({ id, from, ...fresh }: Renewal): Promise<boolean> {
    this.renewals++;
    if (this.failure !== undefined) throw this.failure;
    const session = this.stored.get(id);
    if (session === undefined || !Buffer.from(from).equals(session.hash)) return false;
    this.stored.set(id, { ...session, ...fresh });
    return true;
  }

  async end(id: string): Promise<boolean> {
    return this.stored.delete(id);
  }

  async endOfToken(tokenId: string): Promise<readonly string[]> {
    const ended = [...this.stored.values()].filter((one) => one.tokenId === tokenId).map(({ id }) => id);
    for (const id of ended) this.stored.delete(id);
    return ended;
  }

  async endOfProvider(tokenId: string, providerSession: string | undefined): Promise<readonly string[]> {
    const isMeant = (one: Session) =>
      providerSession === undefined || [undefined, providerSession].includes(one.providerSession);
    const ended = [...this.stored.values()]
      .filter((one) => one.tokenId === tokenId && isMeant(one))
      .map(({ id }) => id);
    for (const id of ended) this.stored.delete(id);
    return ended;
  }

  async noteUse(uses: ReadonlyMap<string, Instant>): Promise<void> {
    for (const [id, used] of uses) {
      const session = this.stored.get(id);
      if (session === undefined) continue;
      this.stored.set(id, { ...session, lastUsedAt: instant(Math.max(session.lastUsedAt, used)) });
    }
  }

  async insertCode({ code }: NewSignInCode): Promise<void> {
    this.codes.set(code.hash, code);
  }

  async findCode(hash: string): Promise<SignInCode | undefined> {
    return this.codes.get(hash);
  }

  async takeCode(hash: string): Promise<boolean> {
    return this.codes.delete(hash);
  }

  async prune(): Promise<number> {
    return 0;
  }
}
