// Turns a token's text into a caller. Tokens are cached. A revoked token leaves the cache before the revocation is
// answered, so a call that starts after that answer is refused. Where several nodes share the records, a call at another
// node is refused a second after that answer at the latest: a node that does not know for sure what was revoked by then
// does not use its cache. The cache key is the hash of the text, which nobody can choose.
import type { Caller } from "#core/access/caller.ts";
import { tokenIdOf } from "#core/access/token.ts";
import { ADMIN_TOKEN_ID, isLive, type TokenRecord } from "#core/access/token-record.ts";
import { type AppError, refuse } from "#core/app-error.ts";
import { type Instant, renderInstant } from "#core/time/instant.ts";
import { createConnectionKeys } from "#service/access/connection-keys.ts";
import { hashKey, hashSecret, sameHash, secretKey } from "#service/access/hash-secret.ts";
import { createLastUses } from "#service/access/last-uses.ts";
import type { After } from "#service/deadlines.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

const MAX_CACHED = 10_000;

export interface Authenticator {
  /**
   * The caller behind a token's text; throws or rejects with `unauthorized`. Synchronous when the token is known. On a connection that
   * sends the same token again it takes less time.
   */
  authenticate(text: string | undefined, connection?: object): Caller | Promise<Caller>;
  /** The token behind a session; throws or rejects with `unauthorized` when it has ended. Synchronous when it is known. */
  holder(tokenId: string): TokenHolder | Promise<TokenHolder>;
  /** Must be called after a token changed in the store. */
  forget(tokenId: string): void;
  /** Any token may have changed. */
  forgetAll(): void;
  /** The tokens of the cloud are no longer stored. */
  forgetCloud(): void;
  /** Calls back when the token is revoked, expires or otherwise changes. Returns the function that ends the watch. */
  onEnd(tokenId: string, callback: () => void): () => void;
  /** Whether the token would still be accepted. */
  isLive(tokenId: string): Promise<boolean>;
  lastUse(tokenId: string): Instant | undefined;
  /** Stores the last uses that were seen since the previous call. */
  flushUses(): Promise<void>;
}

/** A token and the caller that it stands for. */
export interface TokenHolder {
  readonly token: TokenRecord;
  readonly caller: Caller;
}

type Entry = TokenHolder;

interface AuthenticatorNeeds extends Pick<Needs, "tokens" | "now"> {
  readonly after: After;
  readonly nodes: Pick<Nodes, "isCurrent">;
}

/** The watchers of a token, and the timer of its expiry. */
interface Watch {
  readonly callbacks: Set<() => void>;
  callOff: (() => void) | undefined;
}

/** A timer can run for at most 24 days, and the clock may be set meanwhile. */
const LONGEST_WAIT_MS = 3_600_000;

/** `acceptsCloud` says whether tokens of the cloud are accepted now. */
export function createAuthenticator(
  needs: AuthenticatorNeeds,
  admin: TokenRecord,
  acceptsCloud: () => boolean = () => false,
): Authenticator {
  const byId = new Map<string, Entry>();
  const byHash = new Map<string, Entry>();
  const adminEntry = entryOf(admin);
  byHash.set(hashKey(admin.hash), adminEntry);
  const watches = new Map<string, Watch>();
  const keyOn = createConnectionKeys();
  const uses = createLastUses((seen) => needs.tokens.noteUse(seen));
  /** Rises with every `forget`, so that a lookup that began earlier does not refill the cache. */
  let generation = 0;

  async function lookUp(id: string): Promise<Entry | undefined> {
    const cached = byId.get(id);
    if (cached !== undefined && needs.nodes.isCurrent()) return cached;
    const began = generation;
    const token = await needs.tokens.find(id);
    if (token === undefined || id === ADMIN_TOKEN_ID) return undefined;
    const person = hasOwner(token) ? await needs.tokens.find(token.accountId) : undefined;
    // It was revoked together with its person: nobody acts for somebody who is gone.
    if (hasOwner(token) && person?.revokedAt !== undefined) return undefined;
    const entry = entryOf(token, person?.name);
    if (began === generation && byId.get(id) === cached) {
      drop(id);
      if (byId.size >= MAX_CACHED) for (const oldest of byId.keys()) if (drop(oldest)) break;
      byId.set(id, entry);
      byHash.set(hashKey(token.hash), entry);
    }
    return entry;
  }

  function drop(id: string): boolean {
    const entry = byId.get(id);
    if (entry !== undefined) byHash.delete(hashKey(entry.token.hash));
    return byId.delete(id);
  }

  function forget(tokenId: string): void {
    generation++;
    drop(tokenId);
    for (const callback of watches.get(tokenId)?.callbacks ?? []) callback();
  }

  /** A token that nobody has looked up since it changed has no timer: its watchers call `isLive` now and then. */
  function awaitExpiry(tokenId: string, watch: Watch): void {
    const expiresAt = byId.get(tokenId)?.token.expiresAt;
    if (expiresAt === undefined) return;
    const left = expiresAt - needs.now();
    watch.callOff = needs.after(Math.min(Math.max(left, 0), LONGEST_WAIT_MS), () => {
      if (needs.now() < expiresAt) awaitExpiry(tokenId, watch);
      else for (const callback of watch.callbacks) callback();
    });
  }

  function used(entry: Entry): Entry {
    const now = needs.now();
    if (!isLive(entry.token, now)) throw ended(entry.token);
    if (entry.token.fromCloud === true && !acceptsCloud()) {
      throw refuse(
        "unauthorized",
        "this is a cloud token; the gateway has been offline longer than link.offline_access allows",
      );
    }
    uses.note(entry.token.id, now);
    return entry;
  }

  const accept = (entry: Entry): Caller => used(entry).caller;

  function present(entry: Entry | undefined): Entry {
    if (entry === undefined) throw refuse("unauthorized", "the access token of the session is not known here");
    return used(entry);
  }

  return {
    authenticate(text, connection) {
      if (text === undefined || text === "") throw refuse("unauthorized", "the call carries no access token");
      const entry = byHash.get(connection === undefined ? secretKey(text) : keyOn(connection, text));
      const isSure = entry !== undefined && (entry === adminEntry || needs.nodes.isCurrent());
      return isSure ? accept(entry) : knownEntry(text).then(accept);
    },
    holder(tokenId) {
      const entry = tokenId === admin.id ? adminEntry : byId.get(tokenId);
      const isSure = entry !== undefined && (entry === adminEntry || needs.nodes.isCurrent());
      return isSure ? used(entry) : lookUp(tokenId).then(present);
    },
    forget,
    forgetCloud() {
      generation++;
      for (const [tokenId, { token }] of [...byId]) if (token.fromCloud === true) forget(tokenId);
    },
    forgetAll() {
      generation++;
      for (const tokenId of [...byId.keys()]) drop(tokenId);
      for (const { callbacks } of watches.values()) for (const callback of callbacks) callback();
    },
    onEnd(tokenId, callback) {
      let watch = watches.get(tokenId);
      if (watch === undefined) {
        watch = { callbacks: new Set(), callOff: undefined };
        watches.set(tokenId, watch);
        awaitExpiry(tokenId, watch);
      }
      const { callbacks } = watch;
      callbacks.add(callback);
      return () => {
        if (!callbacks.delete(callback) || callbacks.size > 0) return;
        watches.get(tokenId)?.callOff?.();
        watches.delete(tokenId);
      };
    },
    async isLive(tokenId) {
      const entry = tokenId === admin.id ? adminEntry : await lookUp(tokenId);
      if (entry === undefined || !isLive(entry.token, needs.now())) return false;
      return entry.token.fromCloud !== true || acceptsCloud();
    },
    lastUse: (tokenId) => uses.get(tokenId),
    flushUses: () => uses.flush(),
  };

  async function knownEntry(text: string): Promise<Entry> {
    const id = tokenIdOf(text);
    const entry = id === undefined ? undefined : await lookUp(id);
    if (entry === undefined || !sameHash(hashSecret(text), entry.token.hash)) {
      throw refuse("unauthorized", "the access token is not known here");
    }
    return entry;
  }
}

/** Whether it is a token of a person, and not that person's own access. */
function hasOwner(token: TokenRecord): token is TokenRecord & { readonly accountId: string } {
  return token.accountId !== undefined && token.accountId !== token.id;
}

/** Whatever names its caller names the person behind the token, too. A person of the cloud has no account here. */
function entryOf(token: TokenRecord, person?: string): Entry {
  const { id, name, level, sites, siteLevels } = token;
  const accountId = token.fromCloud === true ? undefined : token.accountId;
  const tokenName = person === undefined ? name : `${person}: ${name}`;
  const access = { level, sites, ...(siteLevels && { siteLevels }) };
  return { token, caller: { tokenId: id, tokenName, ...access, ...(accountId !== undefined && { accountId }) } };
}

function ended(token: TokenRecord): AppError {
  if (token.revokedAt !== undefined) {
    return refuse("unauthorized", `the access token was revoked at ${renderInstant(token.revokedAt)}`);
  }
  const expired = token.expiresAt === undefined ? "" : ` at ${renderInstant(token.expiresAt)}`;
  return refuse("unauthorized", `the access token expired${expired}`);
}
