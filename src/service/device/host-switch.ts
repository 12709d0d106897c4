import type { DeviceHost } from "#service/ports/device-host.ts";

/** All hosts as one: a device is run by the one for its type, other devices by none. */
export interface HostSwitch extends DeviceHost {
  add(host: DeviceHost): void;
}

export function createHostSwitch(): HostSwitch {
  const hosts: DeviceHost[] = [];
  return {
    add: (host) => {
      hosts.push(host);
    },
    hosts: (type) => hosts.some((host) => host.hosts(type)),
    async start(device) {
      await hosts.find((host) => host.hosts(device.type))?.start(device);
    },
    async stop(deviceId) {
      for (const host of hosts) await host.stop(deviceId);
    },
    async restart(deviceId) {
      for (const host of hosts) await host.restart(deviceId);
    },
    states: () => hosts.flatMap((host) => host.states()),
    status: (deviceId) => hosts.map((host) => host.status(deviceId)).find((status) => status !== undefined),
  };
}
