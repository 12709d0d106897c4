// Devices that another node has changed. When many gateways join at once, each node hears of all their devices, which run at the
// gateways: one look tells these from those that may run here, and the next look waits for it.
import type { Background } from "#service/background.ts";
import type { Needs } from "#service/ports.ts";

interface ChangedDeviceNeeds {
  readonly gateways: Pick<Needs["gateways"], "ownedAmong">;
  readonly background: Pick<Background, "run">;
  /** Takes the device over as it is now. */
  readonly takeOver: (deviceId: string, isOfGateway: boolean) => Promise<void>;
}

const AT_ONCE = 1_000;
const TASK = "take over the change of a device";

export interface ChangedDevices {
  add(deviceId: string): void;
}

export function createChangedDevices({ gateways, background, takeOver }: ChangedDeviceNeeds): ChangedDevices {
  const waiting = new Set<string>();
  let isLooking = false;

  async function look(): Promise<void> {
    const some = [...waiting.values().take(AT_ONCE)];
    for (const deviceId of some) waiting.delete(deviceId);
    const owned = new Map((await gateways.ownedAmong(some)).map(({ id, type }) => [id, type]));
    for (const deviceId of some) {
      const type = owned.get(deviceId);
      // Whoever hears a child on behalf of its parent needs to know its channel.
      if (type === undefined || type === "CHILD") {
        background.run(TASK, () => takeOver(deviceId, type !== undefined));
      }
    }
  }

  function lookNext(): void {
    if (isLooking || waiting.size === 0) return;
    isLooking = true;
    background.run(TASK, () =>
      look().finally(() => {
        isLooking = false;
        lookNext();
      }),
    );
  }

  return {
    add(deviceId) {
      waiting.add(deviceId);
      lookNext();
    },
  };
}
