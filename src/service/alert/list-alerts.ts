import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { AlertFilter } from "#service/ports/alert-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { type DescribedAlert, describeAlert } from "./describe-alert.ts";
import { type SilenceNeeds, silenceOf } from "./silence.ts";

export type ListAlertsNeeds = Pick<Needs, "alerts" | "devices" | "sites"> &
  SilenceNeeds & { readonly catalog: BlueprintCatalog };

export interface AlertQuery {
  /** What the caller may choose. */
  readonly filter: Omit<AlertFilter, "scope" | "level" | "siteId" | "deviceIds">;
  readonly page: PageRequest;
}

export async function listDeviceAlerts(
  needs: ListAlertsNeeds,
  call: Call,
  { device, query }: { readonly device: string; readonly query: AlertQuery },
): Promise<Page<DescribedAlert>> {
  const { id, siteId } = await visibleDevice(needs, call, device);
  return await list(needs, { ...filterOf(call, query), siteId, deviceIds: [id] }, query.page);
}

export async function listSiteAlerts(
  needs: ListAlertsNeeds,
  call: Call,
  { siteId, query }: { readonly siteId: string; readonly query: AlertQuery },
): Promise<Page<DescribedAlert>> {
  const site = await visibleSite(needs, call, siteId);
  return await list(needs, { ...filterOf(call, query), siteId: site.id }, query.page);
}

async function list(
  needs: ListAlertsNeeds,
  filter: AlertFilter & { readonly siteId: string },
  request: PageRequest,
): Promise<Page<DescribedAlert>> {
  const { items, total } = await needs.alerts.list(filter, request);
  const silence = await silenceOf(needs, filter.siteId);
  const described = items.map(async (record) => {
    const silencedUntil = filter.active ? await silence(record.deviceId) : undefined;
    return { ...(await describeAlert(needs, record)), silencedUntil };
  });
  return { items: await Promise.all(described), total };
}

function filterOf({ caller }: Call, { filter }: AlertQuery): AlertFilter {
  return { ...filter, scope: caller.sites, level: caller.level };
}
