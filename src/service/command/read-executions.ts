import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import type { CommandResponse, Execution } from "#core/command/execution.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { LongPage, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

type ReadNeeds = Pick<Needs, "devices" | "sites" | "executions" | "now"> & { readonly catalog: BlueprintCatalog };

interface Which {
  readonly device: string;
  readonly executionId: string;
}

export async function readExecution(needs: ReadNeeds, call: Call, { device, executionId }: Which): Promise<Execution> {
  const { id: deviceId } = await visibleDevice(needs, call, device);
  const execution = await needs.executions.find(deviceId, executionId, needs.now());
  if (execution === undefined) throw refuse("not_found", `there is no execution ${executionId.slice(0, 80)}`);
  if (!allows(call.caller.level, execution.readLevel)) {
    throw refuse(
      "forbidden",
      `reading executions of ${execution.request.manifestName} takes access level ${execution.readLevel}`,
      {
        needed: execution.readLevel,
      },
    );
  }
  return execution;
}

export async function readLog(
  needs: ReadNeeds,
  executionId: string,
  deviceId?: string,
): Promise<readonly CommandResponse[]> {
  return await needs.executions.responses(executionId, deviceId);
}

export interface ExecutionQuery {
  /** The filters that the caller may choose. The rest comes from the caller's rights, the site and the time. */
  readonly filter: Omit<ExecutionFilter, "scope" | "level" | "siteId" | "deviceIds" | "now">;
  readonly page: PageRequest;
}

export async function listDeviceExecutions(
  needs: ReadNeeds,
  call: Call,
  { device, query }: { readonly device: string; readonly query: ExecutionQuery },
): Promise<LongPage<Execution>> {
  const { id, siteId } = await visibleDevice(needs, call, device);
  return await needs.executions.list({ ...filterOf(needs, call, query), siteId, deviceIds: [id] }, query.page);
}

export interface SiteExecutionQuery extends ExecutionQuery {
  /** Ids or slugs. */
  readonly devices: readonly string[] | undefined;
  readonly profiles: readonly string[] | undefined;
  readonly childTypes: readonly string[] | undefined;
  readonly parents: readonly string[] | undefined;
}

export async function listSiteExecutions(
  needs: ReadNeeds,
  call: Call,
  { siteId, query }: { readonly siteId: string; readonly query: SiteExecutionQuery },
): Promise<LongPage<Execution>> {
  await visibleSite(needs, call, siteId);
  const deviceIds = await matchingDevices(needs, siteId, query);
  const filter = { ...filterOf(needs, call, query), siteId, deviceIds };
  return await needs.executions.list(filter, query.page);
}

/** The site's devices that match the device filters; undefined when there is no such filter. */
async function matchingDevices(
  needs: ReadNeeds,
  siteId: string,
  { devices, profiles, childTypes, parents }: SiteExecutionQuery,
): Promise<readonly string[] | undefined> {
  if (devices === undefined && profiles === undefined && childTypes === undefined && parents === undefined)
    return undefined;
  const implementing = profiles && new Set(await needs.catalog.withProfiles(profiles));
  const { items } = await needs.devices.list({ scope: "all", siteId }, { limit: Number.MAX_SAFE_INTEGER, offset: 0 });
  const slugs = new Map(items.map((device) => [device.id, device.slug]));
  const named = (names: readonly string[], id: string) => names.includes(id) || names.includes(slugs.get(id) ?? id);
  return items
    .filter((device) => devices === undefined || named(devices, device.id))
    .filter((device) => parents === undefined || (device.parentId !== undefined && named(parents, device.parentId)))
    .filter((device) => childTypes === undefined || childTypes.includes(device.childType ?? ""))
    .filter((device) => implementing === undefined || implementing.has(device.blueprintId ?? ""))
    .map((device) => device.id);
}

function filterOf(needs: ReadNeeds, { caller }: Call, { filter }: ExecutionQuery): ExecutionFilter {
  return { ...filter, scope: caller.sites, level: caller.level, now: needs.now() };
}
