// Sessions of the page. A session stands for a token: it has the token's level and sites as they are now, and it ends
// with the token. Its cookie holds a secret of its own, which is renewed now and then, and of which only the hash is
// stored. Sessions are cached like tokens: an ended one leaves the cache before the end is answered, and a node that
// does not know for sure what other nodes have ended a second ago does not use its cache.
import type { Caller } from "#core/access/caller.ts";
import { RENEW_AFTER_MS, RENEW_GRACE_MS, type Session } from "#core/access/session.ts";
import { formatToken, SECRET_BYTES, SESSION_PREFIX, tokenIdOf } from "#core/access/token.ts";
import { refuse } from "#core/app-error.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Authenticator, TokenHolder } from "#service/access/authenticator.ts";
import { hashKey, hashSecret, sameHash, secretKey } from "#service/access/hash-secret.ts";
import { createLastUses } from "#service/access/last-uses.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

const MAX_CACHED = 10_000;

/** What a cookie holds from now on. */
interface CookieText {
  readonly text: string;
  readonly expiresAt: Instant;
}

export interface Accepted {
  readonly caller: Caller;
  /** The cookie's new value, where it was renewed. */
  readonly renewed?: CookieText;
}

export interface Sessions {
  /** Who the text of a cookie stands for; throws or rejects with `unauthorized`. Synchronous when it is known. */
  authenticate(text: string, mayRenew: boolean): Accepted | Promise<Accepted>;
  /** Another node has renewed them. */
  reread(sessionIds: readonly string[]): void;
  /** Must be called after sessions ended in the store. */
  forget(sessionIds: readonly string[]): void;
  /** Calls back when the caller's token or session ends. Returns the function that ends the watch. */
  onEnd(caller: Caller, callback: () => void): () => void;
  /** Whether the caller would still be accepted. An open stream counts as a use of its session. */
  isLive(caller: Caller): Promise<boolean>;
  /** Whether it has neither expired nor been unused for too long. */
  isCurrent(session: Session): boolean;
  lastUse(session: Session): Instant;
  /** Stores the last uses that were seen since the previous call. */
  flushUses(): Promise<void>;
}

interface Entry {
  session: Session;
  /** Lookup keys of the cookie's value and of the one before. */
  key: string;
  previousKey: string | undefined;
  /** Undefined until the new value was used: its answer may have been lost. */
  previousEnds: Instant | undefined;
  lastUsedAt: Instant;
  isRenewing: boolean;
}

export interface SessionNeeds extends Pick<Needs, "sessions" | "now" | "randomBytes"> {
  readonly authenticator: Pick<Authenticator, "holder" | "onEnd" | "isLive">;
  readonly nodes: Pick<Nodes, "isCurrent">;
}

export function createSessions(needs: SessionNeeds, idleMs: number): Sessions {
  const byId = new Map<string, Entry>();
  const byKey = new Map<string, Entry>();
  const watches = new Map<string, Set<() => void>>();
  const uses = createLastUses((seen) => needs.sessions.noteUse(seen));
  /** Rises with every `forget`, so that a lookup that began earlier does not refill the cache. */
  let generation = 0;

  function lastUse({ id, lastUsedAt }: Session): Instant {
    return uses.get(id) ?? byId.get(id)?.lastUsedAt ?? lastUsedAt;
  }

  function isCurrent(session: Session): boolean {
    const now = needs.now();
    return now < session.expiresAt && now < lastUse(session) + idleMs;
  }

  function use(id: string): void {
    const now = needs.now();
    uses.note(id, now);
    const entry = byId.get(id);
    if (entry !== undefined) entry.lastUsedAt = now;
  }

  function keep(entry: Entry): void {
    drop(entry.session.id);
    if (byId.size >= MAX_CACHED) for (const oldest of byId.keys()) if (drop(oldest)) break;
    byId.set(entry.session.id, entry);
    byKey.set(entry.key, entry);
    if (entry.previousKey !== undefined) byKey.set(entry.previousKey, entry);
  }

  function drop(id: string): boolean {
    const entry = byId.get(id);
    if (entry === undefined) return false;
    byKey.delete(entry.key);
    if (entry.previousKey !== undefined) byKey.delete(entry.previousKey);
    return byId.delete(id);
  }

  async function load(text: string): Promise<Entry> {
    const began = generation;
    const id = tokenIdOf(text, SESSION_PREFIX);
    const session = id === undefined ? undefined : await needs.sessions.find(id);
    const hash = hashSecret(text);
    const { previousHash } = session ?? {};
    const isKnown =
      session !== undefined &&
      (sameHash(hash, session.hash) || (previousHash !== undefined && sameHash(hash, previousHash)));
    if (!isKnown) throw over();
    const entry: Entry = {
      session,
      key: hashKey(session.hash),
      previousKey: previousHash && hashKey(previousHash),
      previousEnds: undefined,
      lastUsedAt: session.lastUsedAt,
      isRenewing: false,
    };
    if (began === generation) keep(entry);
    return entry;
  }

  function accept(entry: Entry, key: string, mayRenew: boolean): Accepted | Promise<Accepted> {
    const { session } = entry;
    const now = needs.now();
    if (!isCurrent(session)) throw over();
    const isPrevious = key !== entry.key;
    if (isPrevious && entry.previousEnds !== undefined && now >= entry.previousEnds) throw over();
    if (!isPrevious && entry.previousKey !== undefined) entry.previousEnds ??= instant(now + RENEW_GRACE_MS);
    const holder = needs.authenticator.holder(session.tokenId);
    const finish = (found: TokenHolder) => {
      if (!sameHash(found.token.hash, session.tokenHash)) throw over();
      use(session.id);
      const caller = { ...found.caller, sessionId: session.id };
      // The former value asks again only when the answer with the new one was lost.
      const isDue = isPrevious
        ? entry.previousEnds === undefined && now - session.renewedAt >= RENEW_GRACE_MS
        : now - session.renewedAt >= RENEW_AFTER_MS;
      if (!isDue || !mayRenew || entry.isRenewing) return { caller };
      return renew(entry, key).then((renewed) => (renewed === undefined ? { caller } : { caller, renewed }));
    };
    return holder instanceof Promise ? holder.then(finish) : finish(holder);
  }

  /** Undefined when it was not renewed: then the present value goes on being accepted. */
  async function renew(entry: Entry, presented: string): Promise<CookieText | undefined> {
    const { session } = entry;
    const { id } = session;
    const text = formatToken(id, needs.randomBytes(SECRET_BYTES), SESSION_PREFIX);
    const previousHash = Buffer.from(presented, "base64");
    const fresh = { hash: hashSecret(text), previousHash, renewedAt: needs.now() };
    entry.isRenewing = true;
    const began = generation;
    let isStored: boolean;
    try {
      isStored = await needs.sessions.renew({ id, from: session.hash, ...fresh });
    } catch {
      // A full disk must not sign anybody out. A later call tries again.
      return undefined;
    } finally {
      entry.isRenewing = false;
    }
    // The store knows better where something else happened to the session meanwhile.
    if (!isStored || began !== generation) drop(id);
    else {
      const key = secretKey(text);
      const { lastUsedAt } = entry;
      keep({
        session: { ...session, ...fresh },
        key,
        previousKey: presented,
        previousEnds: undefined,
        lastUsedAt,
        isRenewing: false,
      });
    }
    return isStored ? { text, expiresAt: session.expiresAt } : undefined;
  }

  return {
    authenticate(text, mayRenew) {
      const key = secretKey(text);
      const entry = byKey.get(key);
      return entry === undefined || !needs.nodes.isCurrent()
        ? load(text).then((found) => accept(found, key, mayRenew))
        : accept(entry, key, mayRenew);
    },
    reread(sessionIds) {
      generation++;
      for (const id of sessionIds) drop(id);
    },
    forget(sessionIds) {
      if (sessionIds.length > 0) generation++;
      for (const id of sessionIds) {
        drop(id);
        for (const callback of watches.get(id) ?? []) callback();
      }
    },
    onEnd({ tokenId, sessionId }, callback) {
      const stopToken = needs.authenticator.onEnd(tokenId, callback);
      if (sessionId === undefined) return stopToken;
      const callbacks = watches.get(sessionId) ?? new Set();
      watches.set(sessionId, callbacks.add(callback));
      return () => {
        stopToken();
        callbacks.delete(callback);
        if (callbacks.size === 0) watches.delete(sessionId);
      };
    },
    async isLive({ tokenId, sessionId }) {
      if (!(await needs.authenticator.isLive(tokenId))) return false;
      if (sessionId === undefined) return true;
      const cached = needs.nodes.isCurrent() ? byId.get(sessionId)?.session : undefined;
      const session = cached ?? (await needs.sessions.find(sessionId));
      if (session === undefined || !isCurrent(session)) return false;
      use(sessionId);
      return true;
    },
    isCurrent,
    lastUse,
    flushUses: () => uses.flush(),
  };
}

function over(): Error {
  return refuse("unauthorized", "the session has ended; sign in again");
}
