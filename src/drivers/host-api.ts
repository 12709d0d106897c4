import { createHostApi, type HostApi, type HostVersion } from "#core/lua/host/create-host-api.ts";
import { ALL_DRIVERS } from "./all-drivers.ts";

const SIGNATURES = await Promise.all(ALL_DRIVERS.map(({ signatures }) => signatures()));
const known = new Map<HostVersion, HostApi>();

/** What a script finds around it: that of device/3.0, or that of device/1.0. */
export function hostApi(version: HostVersion): HostApi {
  const api = known.get(version) ?? createHostApi(version, SIGNATURES);
  known.set(version, api);
  return api;
}
