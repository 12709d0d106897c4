import type { Client } from "#client/create-client.ts";

/** Slugs say more to people than ids; each is asked for once. */
export function createDeviceNames(client: Client): (deviceId: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (deviceId) => {
    const name =
      known.get(deviceId) ??
      client.devices.get(deviceId).then(
        ({ device }) => device.slug,
        () => deviceId,
      );
    known.set(deviceId, name);
    return name;
  };
}
