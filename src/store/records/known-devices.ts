// The devices that were read last, as many as fit. Where more devices send in turns than fit, the oldest one would always leave
// just before it is needed again, and every read would go to the database: 24 us for each message instead of 0.4, and a round trip
// with PostgreSQL. So of the devices that do not fit, one in some takes the place of the oldest, and the others are read each time.
import type { Device } from "#core/device/device.ts";

export interface KnownDevices {
  get(id: string): Device | undefined;
  /** Keeps it, if there is room or its turn has come. */
  offer(id: string, device: Device): void;
  delete(id: string): void;
  clear(): void;
}

const ONE_IN = 8;

export function createKnownDevices(most: number): KnownDevices {
  const known = new Map<string, Device>();
  let turnedAway = 0;
  return {
    get: (id) => known.get(id),
    offer(id, device) {
      if (known.size >= most) {
        if (++turnedAway % ONE_IN !== 0) return;
        for (const oldest of known.keys()) if (known.delete(oldest)) break;
      }
      known.set(id, device);
    },
    delete: (id) => void known.delete(id),
    clear: () => known.clear(),
  };
}
