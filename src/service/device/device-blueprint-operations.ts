import { EMPTY_BLUEPRINT_ID, namedBlueprint } from "#core/blueprint/built-in.ts";
import { type AssignNeeds, assignBlueprint } from "#service/blueprint/assign-blueprint.ts";
import { blueprintChangeSchema, renderChange } from "#service/blueprint/blueprint-wire.ts";
import { assignBlueprintSchema, deviceSchema, renderDevice } from "#service/device/device-wire.ts";
import { readProperties } from "#service/device/read-properties.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";

const tag = "Devices";

export function deviceBlueprintOperations(needs: AssignNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/manifest",
      name: "getDeviceManifest",
      summary: "Get the manifest of a device",
      description:
        "Compiled, unless the author's own is asked for: everything is written out, enums are lists of values. Empty for " +
        "a device without a blueprint.",
      tag,
      level: "readonly",
      query: { view: choice("COMPILED unless said otherwise.", ["COMPILED", "ORIGINAL"]) },
      answer: Type.Object(
        { manifest: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        const blueprintId = namedBlueprint(device);
        if (blueprintId === EMPTY_BLUEPRINT_ID) return { manifest: {} };
        if (call.query.view !== "ORIGINAL") return { manifest: await needs.catalog.compiled(blueprintId) };
        return { manifest: (await needs.catalog.get(blueprintId)).manifest };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/properties",
      name: "getDeviceProperties",
      summary: "Get the properties of a device",
      description: "As the device last sent them; those above the token's level are left out.",
      tag,
      level: "readonly",
      answer: Type.Object(
        { properties: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        return { properties: (await readProperties(needs, call, [device])).get(device.id) ?? {} };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/assign_blueprint",
      name: "assignBlueprint",
      summary: "Give a device a blueprint",
      description: "Also replaces one: the answer then lists what changes. History is kept.",
      tag,
      level: "owner",
      atGateway: {
        by: "gateway",
        place: deviceOfPath,
        waits: true,
        compares: "blueprint",
        current: async (call, { device }, given) => ({
          device: renderDevice(await visibleDevice(needs, call, device?.id ?? ""), call),
          ...(given === undefined && { changes: [] }),
        }),
      },
      body: assignBlueprintSchema,
      answer: Type.Object(
        { device: deviceSchema, changes: Type.Array(blueprintChangeSchema) },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const { device, changes } = await assignBlueprint(needs, call, {
          device: call.params.device_id,
          blueprintId: call.body.blueprint_id,
        });
        return { device: renderDevice(device, call), changes: changes.map(renderChange) };
      },
    }),
  ];
}
