import { type RuntimeNeeds, readRuntime, restartRuntime } from "#service/device/device-runtime.ts";
import { renderRuntime, runtimeSchema } from "#service/device/runtime-wire.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { nullable } from "#service/operation/wire.ts";

const tag = "Devices";

export function runtimeOperations(needs: RuntimeNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/runtime",
      name: "getDeviceRuntime",
      summary: "Get how a device's script does",
      description: "Null for a device that connects by itself. Live: the events of kind runtime.",
      tag,
      level: "readonly",
      answer: Type.Object({ runtime: nullable(runtimeSchema) }, { additionalProperties: false }),
      run: async (call) => {
        const status = await readRuntime(needs, call, call.params.device_id);
        return { runtime: status === undefined ? null : renderRuntime(status) };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/runtime/restart",
      name: "restartDeviceRuntime",
      summary: "Start a device's script anew",
      description: "At once, also out of a quarantine. Commands that it is running end as interrupted.",
      tag,
      level: "owner",
      atGateway: { by: "gateway", place: deviceOfPath, waits: false, compares: "nothing" },
      answer: Type.Object({ runtime: runtimeSchema }, { additionalProperties: false }),
      run: async (call) => ({ runtime: renderRuntime(await restartRuntime(needs, call, call.params.device_id)) }),
    }),
  ];
}
