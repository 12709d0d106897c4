// Connections that have not signed in yet. A flood from one address pushes out connections of that address only.
import type { Socket } from "node:net";
import { createConnectionSlots } from "#core/share/connection-slots.ts";

export interface Strangers {
  /** If there are too many now, closes the oldest one of the address that has the most. */
  add(socket: Socket): void;
  signedIn(socket: Socket): void;
  closeAll(): void;
}

interface StrangerLimits {
  readonly unauthenticatedConnections: number;
  readonly unauthenticatedPerAddress: number;
}

export function createStrangers(limits: StrangerLimits): Strangers {
  const sockets = new Map<string, Socket>();
  const slots = createConnectionSlots<string>({
    total: limits.unauthenticatedConnections,
    perAddress: limits.unauthenticatedPerAddress,
    isWaiting: () => true,
  });
  const forget = (id: string) => {
    sockets.delete(id);
    slots.remove(id);
  };
  return {
    add(socket) {
      const id = connectionId(socket);
      sockets.set(id, socket);
      socket.once("close", () => forget(id));
      const excess = slots.add(id, socket.remoteAddress);
      if (excess !== undefined) sockets.get(excess)?.destroy();
    },
    signedIn: (socket) => forget(connectionId(socket)),
    closeAll() {
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}

/** A connection and the TLS stream that runs over it have the same key. */
function connectionId({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
