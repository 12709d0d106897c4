import type { LuaThread, ThreadNeeds } from "./lua-thread.ts";

/** A thread and the devices on it. */
export interface PoolThread<Device> {
  readonly thread: LuaThread;
  readonly devices: Set<Device>;
}

export interface PoolThreads<Device> {
  /** Where the next device goes; starts a thread when each has its share. */
  next(): PoolThread<Device>;
  close(): Promise<void>;
}

interface PoolThreadNeeds<Device> {
  /** Threads at most. */
  readonly most: number;
  open(died: ThreadNeeds["died"]): LuaThread;
  /** `slot` is what it ran at that moment, 0 for nothing. */
  died(devices: ReadonlySet<Device>, slot: number, why: string): void;
}

/** A thread costs some 20 MB: another one is started only when each has its share of devices. */
const DEVICES_BEFORE_ANOTHER = 10;

export function createPoolThreads<Device>(needs: PoolThreadNeeds<Device>): PoolThreads<Device> {
  const threads = new Set<PoolThread<Device>>();
  return {
    next() {
      let least: PoolThread<Device> | undefined;
      for (const each of threads) if (!least || each.devices.size < least.devices.size) least = each;
      if (least && (least.devices.size < DEVICES_BEFORE_ANOTHER || threads.size >= needs.most)) return least;
      const devices = new Set<Device>();
      const thread = needs.open((slot, why) => {
        threads.delete(created);
        needs.died(devices, slot, why);
      });
      const created = { thread, devices };
      threads.add(created);
      return created;
    },
    async close() {
      await Promise.all([...threads].map(({ thread }) => thread.close()));
      threads.clear();
    },
  };
}
