// Work for a device that has to be done in its order: what waited for it leaves before what is created meanwhile.
import type { Background } from "#service/background.ts";

export interface DeviceTurns {
  /** Begins the work when all work before it has ended. */
  take(deviceId: string, work: () => Promise<void>): void;
  /** Begins the work at once where none is under way. */
  follow(deviceId: string, work: () => Promise<void>): void;
}

export function createDeviceTurns(background: Pick<Background, "run">): DeviceTurns {
  /** The end of the last work of each device. */
  const turns = new Map<string, Promise<void>>();
  function take(deviceId: string, work: () => Promise<void>): void {
    const before = turns.get(deviceId);
    const { promise, resolve } = Promise.withResolvers<void>();
    turns.set(deviceId, promise);
    background.run("hand over what waits for a device", async () => {
      try {
        await before;
        await work();
      } finally {
        if (turns.get(deviceId) === promise) turns.delete(deviceId);
        resolve();
      }
    });
  }
  return {
    take,
    follow(deviceId, work) {
      if (turns.has(deviceId)) take(deviceId, work);
      else void work();
    },
  };
}
