// Devices of type CHILD have no connection of their own: everything goes over the nearest ancestor that is no child, on a
// channel that is named by the child's slug. This is where a child's way is kept, and found by its channel.
import type { Device } from "#core/device/device.ts";
import type { ChildAddress } from "#service/ports/carrier.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";

export interface ChildRoutes {
  /** Learns the way to the device. To be called before the way is needed: it may have changed. */
  place(device: Device): Promise<void>;
  /** The way to a child, as far as it was learnt; undefined for every other device. */
  find(deviceId: string): ChildAddress | undefined;
  /** The child of this device, near or far, that has the channel. */
  byChannel(carrier: Device, channelId: string): Promise<Device | undefined>;
  /** All children of this device, near and far. */
  below(carrier: Device): Promise<readonly Device[]>;
  /** The children whose way over this device was learnt. */
  known(carrierId: string): readonly string[];
  forget(deviceId: string): void;
}

/** Children of children of children. */
const MAX_DEPTH = 16;
/** Children of one device, near and far, that are looked at. */
const MAX_CHILDREN = 10_000;

export function createChildRoutes(devices: Pick<DeviceStore, "find" | "findBySlug" | "list">): ChildRoutes {
  const routes = new Map<string, ChildAddress>();
  const carried = new Map<string, Set<string>>();
  /** Carrier and channel to the child found last. Checked at each use, because both may change. */
  const found = new Map<string, string>();

  function forget(deviceId: string): void {
    const former = routes.get(deviceId);
    routes.delete(deviceId);
    if (former !== undefined) carried.get(former.carrierId)?.delete(deviceId);
  }

  async function carrierOf(device: Device): Promise<string | undefined> {
    let next: Device | undefined = device;
    for (let depth = 0; depth < MAX_DEPTH && next?.type === "CHILD"; depth++) {
      next = next.parentId === undefined ? undefined : await devices.find(next.parentId);
    }
    return next === undefined || next.type === "CHILD" ? undefined : next.id;
  }

  async function place(device: Device): Promise<void> {
    if (device.type !== "CHILD") return;
    const carrierId = await carrierOf(device);
    forget(device.id);
    if (carrierId === undefined) return;
    routes.set(device.id, { childId: device.id, carrierId, channelId: device.slug });
    const siblings = carried.get(carrierId) ?? new Set();
    carried.set(carrierId, siblings.add(device.id));
  }

  async function isCarriedBy(device: Device | undefined, carrier: Device, channelId: string): Promise<boolean> {
    if (device === undefined || device.type !== "CHILD" || device.slug !== channelId) return false;
    return (await carrierOf(device)) === carrier.id;
  }

  return {
    place,
    find: (deviceId) => routes.get(deviceId),
    async byChannel(carrier, channelId) {
      const key = `${carrier.id} ${channelId}`;
      const knownId = found.get(key);
      const cached = knownId === undefined ? undefined : await devices.find(knownId);
      if (cached !== undefined && (await isCarriedBy(cached, carrier, channelId))) return cached;
      found.delete(key);
      const [device] = await devices.findBySlug(channelId, new Set([carrier.siteId]));
      if (device === undefined || !(await isCarriedBy(device, carrier, channelId))) return undefined;
      found.set(key, device.id);
      await place(device);
      return device;
    },
    async below(carrier) {
      const all: Device[] = [];
      for (let parents = [carrier.id]; parents.length > 0 && all.length < MAX_CHILDREN; ) {
        const page = { limit: MAX_CHILDREN - all.length, offset: 0 };
        const { items } = await devices.list({ scope: "all", parents, types: ["CHILD"] }, page);
        for (const device of items) await place(device);
        all.push(...items);
        parents = items.map(({ id }) => id);
      }
      return all;
    },
    known: (carrierId) => [...(carried.get(carrierId) ?? [])],
    forget,
  };
}
