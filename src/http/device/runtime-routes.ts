import { renderRuntime, runtimeSchema } from "#http/device/runtime-wire.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { nullable } from "#http/wire.ts";
import { type RuntimeNeeds, readRuntime, restartRuntime } from "#service/device/device-runtime.ts";

const tag = "Devices";

export function runtimeRoutes(needs: RuntimeNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/devices/:device_id/runtime",
      operation: "getDeviceRuntime",
      summary: "Get how a device's script does",
      description: "Null for a device that connects by itself. Live: the events of kind runtime.",
      tag,
      access: "readonly",
      answer: Type.Object({ runtime: nullable(runtimeSchema) }, { additionalProperties: false }),
      handle: async (call) => {
        const status = await readRuntime(needs, call, call.params.device_id);
        return { runtime: status === undefined ? null : renderRuntime(status) };
      },
    }),
    route({
      method: "POST",
      path: "/v3/devices/:device_id/runtime/restart",
      operation: "restartDeviceRuntime",
      summary: "Start a device's script anew",
      description: "At once, also out of a quarantine. Commands that it is running end as interrupted.",
      tag,
      access: "owner",
      answer: Type.Object({ runtime: runtimeSchema }, { additionalProperties: false }),
      handle: async (call) => ({ runtime: renderRuntime(await restartRuntime(needs, call, call.params.device_id)) }),
    }),
  ];
}
