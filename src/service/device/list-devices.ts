import type { Device } from "#core/device/device.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { DeviceFilter } from "#service/ports/device-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export interface DeviceQuery {
  readonly siteId: string | undefined;
  readonly ids: readonly string[] | undefined;
  readonly types: readonly string[] | undefined;
  readonly parentIds: readonly string[] | undefined;
  readonly childTypes: readonly string[] | undefined;
  /** The blueprint must implement them all, by itself or over another profile. */
  readonly profiles: readonly string[] | undefined;
  readonly page: PageRequest;
}

type ListNeeds = Pick<Needs, "devices" | "sites"> & { readonly catalog: BlueprintCatalog };

export async function listDevices(needs: ListNeeds, call: Call, query: DeviceQuery): Promise<Page<Device>> {
  if (query.siteId !== undefined) await visibleSite(needs, call, query.siteId);
  const blueprintIds = query.profiles && (await needs.catalog.withProfiles(query.profiles));
  const filter: DeviceFilter = {
    scope: call.caller.sites,
    ...(query.siteId !== undefined && { siteId: query.siteId }),
    ...(query.ids !== undefined && { ids: query.ids }),
    ...(query.types !== undefined && { types: query.types }),
    ...(query.parentIds !== undefined && { parentIds: query.parentIds }),
    ...(query.childTypes !== undefined && { childTypes: query.childTypes }),
    ...(blueprintIds !== undefined && { blueprintIds }),
  };
  return await needs.devices.list(filter, query.page);
}
