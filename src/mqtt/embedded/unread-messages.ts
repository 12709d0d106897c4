// What devices have not read yet of what they were sent. All of it is bounded: beyond the limit the connection that holds the most is
// closed, and its device signs in again.
import type { BufferUse } from "#core/share/byte-budgets.ts";
import type { Connection } from "./connections.ts";

export interface UnreadMessages extends BufferUse {
  /** Something was written to the connection. */
  wrote(connection: Connection): void;
}

export function createUnreadMessages(limit: number): UnreadMessages {
  /** Those that had something unread when they were last looked at: few, as long as devices keep up. */
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
    // At once: a connection that is closed in order would first wait to be read.
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
