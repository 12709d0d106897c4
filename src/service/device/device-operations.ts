import { refuse } from "#core/app-error.ts";
import { DEVICE_TYPES } from "#core/device/device.ts";
import { deviceName } from "#core/device/slug.ts";
import { type DeleteDeviceNeeds, deleteDevice } from "#service/device/delete-device.ts";
import {
  deviceChangeSchema,
  deviceSchema,
  EXPANSIONS,
  parseDeviceChange,
  renderDevice,
} from "#service/device/device-wire.ts";
import { type ExpandNeeds, expandDevices, listExpanded } from "#service/device/expand-devices.ts";
import { listDevices } from "#service/device/list-devices.ts";
import { updateDevice } from "#service/device/update-device.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type CarriedChange, type Operation, operation } from "#service/operation/operation.ts";
import { anyText, list, listOf, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";

const tag = "Devices";
const answer = Type.Object({ device: deviceSchema }, { additionalProperties: false });
const expand = listOf("What to add to each device.", EXPANSIONS);
const filters = {
  ...paging,
  expand,
  "id.in": list("Only these devices, by id or slug."),
  "type.in": listOf("Only devices of these types.", DEVICE_TYPES),
  "parent_id.in": list("Only children of these devices, by id or slug."),
  "child_type.in": list("Only children of these types."),
  "profiles.has_all": list("Only devices whose blueprint implements all of these profiles."),
};

export function deviceOperations(needs: ExpandNeeds & DeleteDeviceNeeds): readonly Operation[] {
  const listOperation = <Path extends "/v3/devices" | "/v3/sites/:site_id/devices">(path: Path, name: string) =>
    operation({
      method: "GET",
      path: path as string,
      name,
      summary: path === "/v3/devices" ? "List devices" : "List the devices of a site",
      tag,
      level: "readonly",
      query: path === "/v3/devices" ? filters : { ...filters, site_id: anyText("The site of the path once more.") },
      answer: listAnswer("devices", deviceSchema),
      run: async (call) => {
        const { query } = call;
        requireSameSite(call.params, query);
        const page = await listDevices(needs, call, {
          filter: {
            siteId: (call.params as { site_id?: string }).site_id,
            names: query["id.in"]?.map(deviceName),
            types: query["type.in"],
            parents: query["parent_id.in"]?.map(deviceName),
            childTypes: query["child_type.in"],
          },
          profiles: query["profiles.has_all"],
          page: pageOf(query),
        });
        if (query.expand !== undefined) return await listExpanded(needs, call, { page, expand: query.expand });
        return renderPage("devices", page, (device) => renderDevice(device, call));
      },
    });
  const deviceNow: CarriedChange["current"] = async (call, { device }) => ({
    device: renderDevice(await visibleDevice(needs, call, device?.id ?? ""), call),
  });
  return [
    listOperation("/v3/devices", "listDevices"),
    listOperation("/v3/sites/:site_id/devices", "listSiteDevices"),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id",
      name: "getDevice",
      summary: "Get a device",
      description: "By its id or its slug.",
      tag,
      level: "readonly",
      query: { expand },
      answer,
      run: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        if (call.query.expand === undefined) return { device: renderDevice(device, call) };
        const [expanded] = await expandDevices(needs, call, { devices: [device], expand: call.query.expand });
        return { device: expanded };
      },
    }),
    operation({
      method: "PATCH",
      path: "/v3/devices/:device_id",
      name: "updateDevice",
      summary: "Change a device",
      tag,
      level: "owner",
      atGateway: {
        by: "gateway",
        place: deviceOfPath,
        waits: true,
        compares: "device",
        current: deviceNow,
      },
      body: deviceChangeSchema,
      answer,
      run: async (call) => {
        const device = await updateDevice(needs, call, {
          device: call.params.device_id,
          change: parseDeviceChange(call.body),
        });
        return { device: renderDevice(device, call) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/devices/:device_id",
      name: "deleteDevice",
      summary: "Delete a device",
      description: "Refused while other devices hang on it.",
      tag,
      level: "owner",
      atGateway: { by: "gateway", place: deviceOfPath, waits: false, compares: "nothing", deletesLeftovers: true },
      answer: NOTHING,
      run: async (call) => {
        await deleteDevice(needs, call, call.params.device_id);
        return {};
      },
    }),
  ];
}

/** Some clients repeat the site in the query. */
function requireSameSite(params: object, query: object): void {
  const { site_id: inPath } = params as { readonly site_id?: string };
  const { site_id: inQuery } = query as { readonly site_id?: string };
  if (inPath === undefined || inQuery === undefined || inPath === inQuery) return;
  throw refuse("invalid_query", "site_id differs from the site in the path", { parameter: "site_id" });
}
