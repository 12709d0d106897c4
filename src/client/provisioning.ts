import type { Transport } from "./transport.ts";

type DeviceFields = { readonly name: string; readonly slug?: string; readonly blueprint_id?: string };
/** Without a site: the only one there is. */
type AtSite = { readonly site_id?: string };

export function provisioning({ json }: Transport) {
  const create = (path: string, body: object) =>
    json<{ device_id: string }>({ method: "POST", path: `/v3/provisioning/${path}`, body });
  return {
    standalone: (device: DeviceFields & AtSite) => create("standalone", device),
    luaDevice: (device: DeviceFields & AtSite & { readonly blueprint_id: string }) => create("lua_device", device),
    simulatedDevice: (device: DeviceFields & AtSite & { readonly blueprint_id: string }) =>
      create("simulated_device", device),
    child: (device: DeviceFields & { readonly parent_id: string; readonly child_type: string }) =>
      create("child_device", device),
  };
}
