// Decides which connections stay when there are too many. Idle connections do not keep a newcomer out: the address with
// the most connections loses the one that has waited longest for its client.
import { addressBlock } from "#core/net/address-block.ts";

export interface SlotLimits<T> {
  readonly total: number;
  readonly perAddress: number;
  /** Whether the connection is waiting for its client: for a request, for the rest of one, or to be read. */
  readonly isWaiting: (connection: T) => boolean;
}

export interface ConnectionSlots<T> {
  /** Counts one more. Returns the connection that has to be closed for it and counts no longer; that may be itself. */
  add(connection: T, address: string | undefined): T | undefined;
  /** Someone has signed in on the connection: it counts for them, and no longer for its address. Returns as `add`. */
  signedIn(connection: T, who: string): T | undefined;
  /** The connection was used: others of its address are closed before it. */
  touch(connection: T): void;
  remove(connection: T): void;
  readonly size: number;
}

export function createConnectionSlots<T>({ total, perAddress, isWaiting }: SlotLimits<T>): ConnectionSlots<T> {
  /** By address, or by who has signed in; the least recently used connection first. */
  const addresses = new Map<string, Set<T>>();
  const keys = new Map<T, string>();

  function remove(connection: T): void {
    const key = keys.get(connection);
    if (key === undefined) return;
    keys.delete(connection);
    const group = addresses.get(key);
    group?.delete(connection);
    if (group?.size === 0) addresses.delete(key);
  }

  function longestWaiting(group: ReadonlySet<T>): T | undefined {
    for (const connection of group) if (isWaiting(connection)) return connection;
    return undefined;
  }

  function ofTheLargest(): T | undefined {
    let found: T | undefined;
    let most = 0;
    for (const group of addresses.values()) {
      if (group.size <= most) continue;
      const waiting = longestWaiting(group);
      if (waiting === undefined) continue;
      found = waiting;
      most = group.size;
    }
    return found;
  }

  function enter(connection: T, key: string): T | undefined {
    const group = addresses.get(key) ?? new Set<T>();
    addresses.set(key, group.add(connection));
    keys.set(connection, key);
    if (group.size <= perAddress && keys.size <= total) return undefined;
    const excess = (group.size > perAddress ? longestWaiting(group) : ofTheLargest()) ?? connection;
    remove(excess);
    return excess;
  }

  return {
    add: (connection, address) => enter(connection, addressBlock(address ?? "")),
    signedIn(connection, who) {
      if (!keys.has(connection)) return undefined;
      remove(connection);
      return enter(connection, `signed in: ${who}`);
    },
    touch(connection) {
      const group = addresses.get(keys.get(connection) ?? "");
      if (group?.delete(connection) === true) group.add(connection);
    },
    remove,
    get size() {
      return keys.size;
    },
  };
}
