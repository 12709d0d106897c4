import {
  newChildDeviceSchema,
  newLuaDeviceSchema,
  newSimulatedDeviceSchema,
  newStandaloneSchema,
  newVirtualUcmSchema,
  parseNewDevice,
  provisionedSchema,
} from "#http/device/device-wire.ts";
import { type Route, route } from "#http/route.ts";
import { type ProvisionNeeds, provisionDevice } from "#service/device/provision-device.ts";
import { provisionVirtualUcm, type VirtualUcmNeeds } from "#service/device/provision-virtual-ucm.ts";

const tag = "Provisioning";

export function provisioningRoutes(needs: ProvisionNeeds & VirtualUcmNeeds): readonly Route[] {
  return [
    route({
      method: "POST",
      path: "/v3/provisioning/standalone",
      operation: "provisionStandalone",
      summary: "Add a device that connects by itself",
      description: "Its credentials come from Generate Config.",
      tag,
      access: "owner",
      body: newStandaloneSchema,
      answer: provisionedSchema,
      handle: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("STANDALONE", call.body));
        return { device_id: device.id };
      },
    }),
    route({
      method: "POST",
      path: "/v3/provisioning/vucm",
      operation: "provisionVirtualUcm",
      summary: "Add a virtual communication module",
      description: "A device that connects by itself under a hardware id that the caller may choose.",
      tag,
      access: "owner",
      body: newVirtualUcmSchema,
      answer: provisionedSchema,
      handle: async (call) => {
        const input = { ...parseNewDevice("VIRTUAL_UCM", call.body), hardwareId: call.body.hardware_id };
        return { device_id: (await provisionVirtualUcm(needs, call, input)).id };
      },
    }),
    route({
      method: "POST",
      path: "/v3/provisioning/lua_device",
      operation: "provisionLuaDevice",
      summary: "Add a device that a Lua blueprint drives",
      tag,
      access: "owner",
      body: newLuaDeviceSchema,
      answer: provisionedSchema,
      handle: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("LUA", call.body));
        return { device_id: device.id };
      },
    }),
    route({
      method: "POST",
      path: "/v3/provisioning/simulated_device",
      operation: "provisionSimulatedDevice",
      summary: "Add a device that Busbar makes up from its blueprint",
      description: "It behaves like any other device; what it does can be changed by Adjust Simulation.",
      tag,
      access: "owner",
      body: newSimulatedDeviceSchema,
      answer: provisionedSchema,
      handle: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("SIMULATED", call.body));
        return { device_id: device.id };
      },
    }),
    route({
      method: "POST",
      path: "/v3/provisioning/child_device",
      operation: "provisionChildDevice",
      summary: "Add a device that is reached over another one",
      tag,
      access: "owner",
      body: newChildDeviceSchema,
      answer: provisionedSchema,
      handle: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("CHILD", call.body));
        return { device_id: device.id };
      },
    }),
  ];
}
