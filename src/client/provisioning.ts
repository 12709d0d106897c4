import type { NewChildDevice, NewLuaDevice, NewSimulatedDevice, NewStandaloneDevice } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function provisioning({ perform }: Transport) {
  return {
    standalone: (body: NewStandaloneDevice) => perform("provisionStandalone", { body }),
    luaDevice: (body: NewLuaDevice) => perform("provisionLuaDevice", { body }),
    simulatedDevice: (body: NewSimulatedDevice) => perform("provisionSimulatedDevice", { body }),
    child: (body: NewChildDevice) => perform("provisionChildDevice", { body }),
  };
}
