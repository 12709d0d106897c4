// What `expand` adds to devices, read for all devices of an answer at once.
import { levelAt } from "#core/access/caller.ts";
import { EMPTY_BLUEPRINT_ID, namedBlueprint } from "#core/blueprint/built-in.ts";
import type { Device } from "#core/device/device.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { type CommunicationNeeds, communicationOf, createFindGateway } from "#service/device/communication-wire.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { deviceStatus, type StatusNeeds } from "#service/device/device-status.ts";
import { type DeviceReader, type Expansion, renderDevice } from "#service/device/device-wire.ts";
import { readProperties } from "#service/device/read-properties.ts";
import { ListAnswer } from "#service/operation/list-answer.ts";
import type { Page } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";
import { renderSite } from "#service/site/site-wire.ts";

export type ExpandNeeds = CommunicationNeeds &
  Pick<StatusNeeds, "role"> &
  Pick<Needs, "sites" | "alerts"> & {
    readonly catalog: BlueprintCatalog;
    readonly connectivity: Connectivity;
  };

type ExpandedDevice = object & { readonly manifest?: object };

interface Expansions {
  readonly devices: readonly Device[];
  readonly expand: readonly Expansion[] | undefined;
}

/** Devices that are expanded at once: each may bring a manifest and many properties. */
const AT_ONCE = 20;

/** The devices as JSON, expanded as they are taken. */
export async function listExpanded(
  needs: ExpandNeeds,
  call: Call & DeviceReader,
  { page, expand }: { readonly page: Page<Device>; readonly expand: readonly Expansion[] },
): Promise<ListAnswer> {
  const { items: devices, total } = page;
  const first = await expandDevices(needs, call, { devices: devices.slice(0, AT_ONCE), expand });
  async function* rest(): AsyncGenerator<string> {
    for (let at = AT_ONCE; at < devices.length; at += AT_ONCE) {
      yield* renderAll(await expandDevices(needs, call, { devices: devices.slice(at, at + AT_ONCE), expand }));
    }
  }
  return new ListAnswer("devices", total, {
    now: renderAll(first),
    rest: devices.length > AT_ONCE ? rest() : undefined,
  });
}

/** Devices of one blueprint share their manifest, so its text is made once for them. */
function* renderAll(devices: readonly ExpandedDevice[]): Generator<string> {
  const texts = new Map<object, string>();
  for (const { manifest, ...device } of devices) {
    const json = JSON.stringify(device);
    if (manifest === undefined) {
      yield json;
      continue;
    }
    let text = texts.get(manifest);
    if (text === undefined) {
      text = JSON.stringify(manifest);
      texts.set(manifest, text);
    }
    yield `${json.slice(0, -1)},"manifest":${text}}`;
  }
}

export async function expandDevices(
  needs: ExpandNeeds,
  call: Call & DeviceReader,
  { devices, expand }: Expansions,
): Promise<readonly ExpandedDevice[]> {
  const wanted = new Set(expand);
  const isCommunicationWanted = wanted.has("communication") || wanted.has("communication_info");
  const properties = wanted.has("properties") ? await readProperties(needs, call, devices) : undefined;
  const findGateway = createFindGateway(needs);
  const raised = wanted.has("raised_alert_names") ? await raisedNames(needs, call, devices) : undefined;
  return await Promise.all(
    devices.map(async (device) => ({
      ...renderDevice(device, call),
      ...(wanted.has("manifest") && { manifest: await manifestOf(needs, device) }),
      ...(properties !== undefined && { properties: properties.get(device.id) ?? {} }),
      ...(wanted.has("connectivity") && { connectivity: { status: deviceStatus(needs, device) } }),
      ...(isCommunicationWanted && { communication: await communicationOf(needs, device, findGateway) }),
      ...(raised !== undefined && { raised_alert_names: raised.get(device.id) ?? [] }),
      ...(wanted.has("site") && (await siteOf(needs, call, device))),
    })),
  );
}

/** As far as the level at the site of each device may read them. */
async function raisedNames({ alerts }: ExpandNeeds, { caller }: Call, devices: readonly Device[]) {
  const names = new Map<string, readonly string[]>();
  for (const [level, some] of Map.groupBy(devices, ({ siteId }) => levelAt(caller, siteId))) {
    const ids = some.map(({ id }) => id);
    for (const [id, raised] of await alerts.raisedNames(ids, level)) names.set(id, raised);
  }
  return names;
}

async function manifestOf(needs: ExpandNeeds, device: Device): Promise<object> {
  const blueprintId = namedBlueprint(device);
  return blueprintId === EMPTY_BLUEPRINT_ID ? {} : await needs.catalog.compiled(blueprintId);
}

async function siteOf(needs: ExpandNeeds, call: Call, device: Device): Promise<{ site?: object }> {
  const site = await needs.sites.find(device.siteId);
  return site === undefined ? {} : { site: renderSite(site, call.caller) };
}
