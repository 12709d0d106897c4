import {
  newChildDeviceSchema,
  newLuaDeviceSchema,
  newSimulatedDeviceSchema,
  newStandaloneSchema,
  newVirtualUcmSchema,
  parseNewDevice,
  provisionedSchema,
} from "#service/device/device-wire.ts";
import { type ProvisionNeeds, provisionDevice } from "#service/device/provision-device.ts";
import { provisionVirtualUcm, type VirtualUcmNeeds } from "#service/device/provision-virtual-ucm.ts";
import { siteOfNewDevice } from "#service/operation/find-place.ts";
import { type AtGateway, type Operation, operation } from "#service/operation/operation.ts";

const tag = "Provisioning";
const atGateway: AtGateway = { by: "gateway", place: siteOfNewDevice, waits: false, compares: "nothing" };

export function provisioningOperations(needs: ProvisionNeeds & VirtualUcmNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/provisioning/standalone",
      name: "provisionStandalone",
      summary: "Add a device that connects by itself",
      description: "Its credentials come from Generate Config.",
      tag,
      level: "owner",
      atGateway,
      body: newStandaloneSchema,
      answer: provisionedSchema,
      run: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("STANDALONE", call.body));
        return { device_id: device.id };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/provisioning/vucm",
      name: "provisionVirtualUcm",
      summary: "Add a virtual communication module",
      description: "A device that connects by itself under a hardware id that the caller may choose.",
      tag,
      level: "owner",
      atGateway: { by: "gateway alone", place: siteOfNewDevice },
      body: newVirtualUcmSchema,
      answer: provisionedSchema,
      run: async (call) => {
        const input = { ...parseNewDevice("VIRTUAL_UCM", call.body), hardwareId: call.body.hardware_id };
        return { device_id: (await provisionVirtualUcm(needs, call, input)).id };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/provisioning/lua_device",
      name: "provisionLuaDevice",
      summary: "Add a device that a Lua blueprint drives",
      tag,
      level: "owner",
      atGateway,
      body: newLuaDeviceSchema,
      answer: provisionedSchema,
      run: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("LUA", call.body));
        return { device_id: device.id };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/provisioning/simulated_device",
      name: "provisionSimulatedDevice",
      summary: "Add a device that Busbar makes up from its blueprint",
      description: "It behaves like any other device; what it does can be changed by Adjust Simulation.",
      tag,
      level: "owner",
      atGateway,
      body: newSimulatedDeviceSchema,
      answer: provisionedSchema,
      run: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("SIMULATED", call.body));
        return { device_id: device.id };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/provisioning/child_device",
      name: "provisionChildDevice",
      summary: "Add a device that is reached over another one",
      tag,
      level: "owner",
      atGateway,
      body: newChildDeviceSchema,
      answer: provisionedSchema,
      run: async (call) => {
        const device = await provisionDevice(needs, call, parseNewDevice("CHILD", call.body));
        return { device_id: device.id };
      },
    }),
  ];
}
