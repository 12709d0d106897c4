import type { Answers, NewChildDevice, NewLuaDevice, NewSimulatedDevice, NewStandaloneDevice } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function provisioning({ json }: Transport) {
  const create = (path: string, body: object) =>
    json<Answers["provisionStandalone"]>({ method: "POST", path: `/v3/provisioning/${path}`, body });
  return {
    standalone: (device: NewStandaloneDevice) => create("standalone", device),
    luaDevice: (device: NewLuaDevice) => create("lua_device", device),
    simulatedDevice: (device: NewSimulatedDevice) => create("simulated_device", device),
    child: (device: NewChildDevice) => create("child_device", device),
  };
}
