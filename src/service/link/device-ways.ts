// The connection over which each device can be reached. A connection that ends looks only at its own devices: with thousands of
// gateways that come back at once, looking at all devices for each of them would take the time of a fleet squared.

export interface DeviceWays<Way extends object> {
  /** From now on the device is reached this way. */
  set(deviceId: string, way: Way): void;
  of(deviceId: string): Way | undefined;
  /** No device is reached this way any longer. Those that have another way by now keep it. */
  end(way: Way): void;
}

export function createDeviceWays<Way extends object>(ways: Map<string, Way> = new Map()): DeviceWays<Way> {
  const devices = new WeakMap<Way, Set<string>>();
  return {
    set(deviceId, way) {
      ways.set(deviceId, way);
      const own = devices.get(way);
      if (own === undefined) devices.set(way, new Set([deviceId]));
      else own.add(deviceId);
    },
    of: (deviceId) => ways.get(deviceId),
    end(way) {
      for (const deviceId of devices.get(way) ?? []) if (ways.get(deviceId) === way) ways.delete(deviceId);
      devices.delete(way);
    },
  };
}
