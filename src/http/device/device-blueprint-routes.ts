import { EMPTY_BLUEPRINT_ID, namedBlueprint } from "#core/blueprint/built-in.ts";
import { blueprintChangeSchema, renderChange } from "#http/blueprint/blueprint-wire.ts";
import { assignBlueprintSchema, deviceSchema, renderDevice } from "#http/device/device-wire.ts";
import { choice } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { type AssignNeeds, assignBlueprint } from "#service/blueprint/assign-blueprint.ts";
import { readProperties } from "#service/device/read-properties.ts";
import { visibleDevice } from "#service/device/visible-device.ts";

const tag = "Devices";

export function deviceBlueprintRoutes(needs: AssignNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/devices/:device_id/manifest",
      operation: "getDeviceManifest",
      summary: "Get the manifest of a device",
      description:
        "Compiled, unless the author's own is asked for: everything is written out, enums are lists of values. Empty for " +
        "a device without a blueprint.",
      tag,
      access: "readonly",
      query: { view: choice("COMPILED unless said otherwise.", ["COMPILED", "ORIGINAL"]) },
      answer: Type.Object(
        { manifest: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: false },
      ),
      handle: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        const blueprintId = namedBlueprint(device);
        if (blueprintId === EMPTY_BLUEPRINT_ID) return { manifest: {} };
        if (call.query.view !== "ORIGINAL") return { manifest: await needs.catalog.compiled(blueprintId) };
        return { manifest: (await needs.catalog.get(blueprintId)).manifest };
      },
    }),
    route({
      method: "GET",
      path: "/v3/devices/:device_id/properties",
      operation: "getDeviceProperties",
      summary: "Get the properties of a device",
      description: "As the device last sent them; those above the token's level are left out.",
      tag,
      access: "readonly",
      answer: Type.Object(
        { properties: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: false },
      ),
      handle: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        return { properties: (await readProperties(needs, call, [device])).get(device.id) ?? {} };
      },
    }),
    route({
      method: "POST",
      path: "/v3/devices/:device_id/assign_blueprint",
      operation: "assignBlueprint",
      summary: "Give a device a blueprint",
      description: "Also replaces one: the answer then tells what changes. History is kept.",
      tag,
      access: "owner",
      body: assignBlueprintSchema,
      answer: Type.Object(
        { device: deviceSchema, changes: Type.Array(blueprintChangeSchema) },
        { additionalProperties: false },
      ),
      handle: async (call) => {
        const { device, changes } = await assignBlueprint(needs, call, {
          device: call.params.device_id,
          blueprintId: call.body.blueprint_id,
        });
        return { device: renderDevice(device, call), changes: changes.map(renderChange) };
      },
    }),
  ];
}
