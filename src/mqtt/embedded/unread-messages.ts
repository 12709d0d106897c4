// Bytes that were sent to devices and not read yet. The total is bounded: beyond the limit the connection that holds
// the most is closed, and its device has to sign in again.
import type { BufferUse } from "#core/share/byte-budgets.ts";
import type { Connection } from "./connections.ts";

export interface UnreadMessages extends BufferUse {
  /** Something was written to the connection. */
  wrote(connection: Connection): void;
}

export function createUnreadMessages(limit: number): UnreadMessages {
  /** Connections that had something unread at the last look. There are few of them as long as devices keep up. */
  const behind = new Set<Connection>();

  function used(): number {
    let bytes = 0;
    for (const connection of behind) {
      const { unsent, destroyed } = connection.guard;
      if (unsent === 0 || destroyed) behind.delete(connection);
      else bytes += unsent;
    }
    return bytes;
  }

  function closeLargest(): void {
    let largest: Connection | undefined;
    for (const one of behind) if (one.guard.unsent > (largest?.guard.unsent ?? 0)) largest = one;
    if (largest === undefined) return;
    behind.delete(largest);
    // Destroyed at once: an orderly close would first wait until the device reads.
    largest.guard.socket.destroy();
  }

  return {
    name: "unread_messages",
    limit,
    used,
    wrote(connection) {
      if (connection.guard.unsent === 0) return;
      behind.add(connection);
      while (used() > limit) closeLargest();
    },
  };
}
