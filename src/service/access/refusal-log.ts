// Refused calls on their way into the audit log. Repeated refusals become one entry with a count, and the number of
// entries is bounded. So a flood of refused calls writes a few rows a second, whoever sends it and whatever it names.
import type { AuditEntry, AuditTarget } from "#core/access/audit-entry.ts";
import type { Caller } from "#core/access/caller.ts";
import type { Door } from "#core/access/door.ts";
import { MAX_REFUSALS, REFUSAL_WINDOW_MS } from "#core/access/refusal-limits.ts";
import { addressBlock } from "#core/net/address-block.ts";
import { actorOf } from "#service/access/audit-trail.ts";
import type { Needs } from "#service/ports.ts";

export interface RefusedCall {
  /** Undefined when no valid token came with the call. */
  readonly caller: Caller | undefined;
  readonly action: string;
  /** What the call is about, as far as its caller may see it. */
  readonly target: AuditTarget;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly door?: Door | undefined;
}

export interface RefusalLog {
  /**
   * Counts a refused call. It is stored with the next `flush`. Returns whether it is the first of its kind, which is an
   * entry of its own: the number of those is bounded, so that each may be stored before its call is answered.
   */
  note(call: RefusedCall): boolean;
  /** Stores new refusals. A count that could not be stored is stored by a later call. */
  flush(): Promise<void>;
}

interface RefusalNeeds extends Pick<Needs, "now" | "newId"> {
  readonly audit: Pick<Needs["audit"], "put">;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

type Counted = { -readonly [Key in "count" | "lastAt"]: AuditEntry[Key] } & Omit<AuditEntry, "count" | "lastAt">;

const ANONYMOUS = "anonymous";
const REST = "refused calls of more kinds than the log lists one by one";

export function createRefusalLog(needs: RefusalNeeds): RefusalLog {
  /** The entries of this window, by the key under which refusals are merged. */
  const entries = new Map<string, Counted>();
  /** How many entries each token or address has, and all calls without a token together. */
  const sizes = new Map<string, number>();
  const unsaved = new Set<Counted>();
  let windowEnds = needs.elapsed() + REFUSAL_WINDOW_MS;
  let lastFlush = Promise.resolve();

  const sizeOf = (source: string) => sizes.get(source) ?? 0;

  function isRoomFor({ caller }: RefusedCall, source: string): boolean {
    if (entries.size >= MAX_REFUSALS.all) return false;
    if (caller !== undefined) return sizeOf(source) < MAX_REFUSALS.token;
    return sizeOf(source) < MAX_REFUSALS.address && sizeOf(ANONYMOUS) < MAX_REFUSALS.anonymous;
  }

  /**
   * The entry that counts the call: the one of its own kind, or the shared "rest" entry if there is no room for its
   * own.
   */
  function entryOf(call: RefusedCall): Counted {
    const { caller, action, code, target, door } = call;
    const source = caller === undefined ? `address ${addressBlock(call.remoteAddress)}` : `token ${caller.tokenId}`;
    const kind = JSON.stringify([source, action, code, target.siteId, target.deviceId, target.tokenId, door]);
    const known = entries.get(kind);
    if (known !== undefined) return known;
    if (!isRoomFor(call, source)) return restOf(call, source);
    for (const counted of caller === undefined ? [source, ANONYMOUS] : [source])
      sizes.set(counted, sizeOf(counted) + 1);
    return begin(kind, call);
  }

  /** A token has a "rest" entry of its own. There may be any number of addresses, so they share one. */
  function restOf(call: RefusedCall, source: string): Counted {
    const isOwn = call.caller !== undefined && entries.size < MAX_REFUSALS.all;
    const key = `rest of ${isOwn ? source : call.caller === undefined ? ANONYMOUS : "tokens"}`;
    const rest = { ...call, action: "various", target: {}, code: undefined, message: REST, door: undefined };
    return entries.get(key) ?? begin(key, isOwn ? rest : { ...rest, caller: undefined, remoteAddress: "various" });
  }

  function begin(key: string, call: Omit<RefusedCall, "code"> & { readonly code: string | undefined }): Counted {
    const { caller, action, target, code, message, requestId, remoteAddress, door } = call;
    const at = needs.now();
    const entry: Counted = {
      id: needs.newId(),
      at,
      actor: caller && actorOf(caller),
      door,
      action,
      target,
      outcome: "REFUSED",
      code,
      requestId,
      remoteAddress,
      details: { message },
      count: 0,
      lastAt: at,
    };
    entries.set(key, entry);
    return entry;
  }

  async function store(): Promise<void> {
    const isOver = needs.elapsed() >= windowEnds;
    const batch = [...unsaved];
    unsaved.clear();
    try {
      if (batch.length > 0) await needs.audit.put(batch.map((entry) => ({ ...entry })));
    } catch (error) {
      for (const entry of batch) unsaved.add(entry);
      throw error;
    }
    if (!isOver) return;
    entries.clear();
    sizes.clear();
    windowEnds = needs.elapsed() + REFUSAL_WINDOW_MS;
  }

  return {
    note(call) {
      const entry = entryOf(call);
      const isFirst = entry.count === 0;
      entry.count++;
      entry.lastAt = needs.now();
      unsaved.add(entry);
      return isFirst;
    },
    flush() {
      lastFlush = lastFlush.then(store, store);
      return lastFlush;
    },
  };
}
