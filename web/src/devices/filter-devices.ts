// Which devices a filter leaves, and in what order a tree shows them. Pure.
import type { Device } from "#client/resources.ts";
import type { Manifest } from "#web/data/manifest.ts";

export type Listed = {
  readonly id: string;
  readonly resource: Pick<Device, "name" | "slug" | "parent_id" | "child_type">;
  readonly manifest: Manifest;
  readonly connectivity: "ONLINE" | "OFFLINE" | "UNKNOWN";
};

export type DeviceFilter = {
  readonly text: string | undefined;
  readonly category: string | undefined;
  readonly profile: string | undefined;
  /** An id, or `none` for devices without a parent. */
  readonly parent: string | undefined;
  readonly childType: string | undefined;
  readonly connectivity: string | undefined;
  /** `yes`: only those with an active alert. */
  readonly alerts?: string | undefined;
};

/** `alerting`: the ids of devices with an active alert. */
export function filterDevices<One extends Listed>(
  devices: readonly One[],
  filter: DeviceFilter,
  alerting: ReadonlySet<string> = new Set(),
): readonly One[] {
  const text = filter.text?.toLowerCase();
  return devices.filter(
    ({ id, resource, manifest, connectivity }) =>
      (text === undefined || `${resource.name} ${resource.slug}`.toLowerCase().includes(text)) &&
      (filter.category === undefined || (manifest.category ?? "none") === filter.category) &&
      (filter.profile === undefined || manifest.profiles.includes(filter.profile)) &&
      (filter.parent === undefined || (resource.parent_id ?? "none") === filter.parent) &&
      (filter.childType === undefined || resource.child_type === filter.childType) &&
      (filter.connectivity === undefined || connectivity === filter.connectivity) &&
      (filter.alerts !== "yes" || alerting.has(id)),
  );
}

export type TreeRow<One> = { readonly device: One; readonly depth: number };

/**
 * Children below their parents. A device whose parent is not in the list stands at the top, and so does one of a circle:
 * none is lost.
 */
export function treeOf<One extends Listed>(devices: readonly One[]): readonly TreeRow<One>[] {
  const ids = new Set(devices.map(({ id }) => id));
  const children = Map.groupBy(devices, ({ id, resource }) =>
    resource.parent_id != null && ids.has(resource.parent_id) && resource.parent_id !== id ? resource.parent_id : "",
  );
  const rows: TreeRow<One>[] = [];
  const seen = new Set<string>();
  const add = (device: One, depth: number): void => {
    if (seen.has(device.id)) return;
    seen.add(device.id);
    rows.push({ device, depth });
    for (const child of children.get(device.id) ?? []) add(child, depth + 1);
  };
  for (const device of children.get("") ?? []) add(device, 0);
  for (const device of devices) add(device, 0);
  return rows;
}

/** The values that a filter can have, out of the devices themselves. */
export function filterOptions(devices: readonly Listed[]) {
  const sorted = (values: Iterable<string>) => [...new Set(values)].sort();
  const parents = new Set(devices.flatMap(({ resource }) => resource.parent_id ?? []));
  return {
    categories: sorted(devices.map(({ manifest }) => manifest.category ?? "none")),
    profiles: sorted(devices.flatMap(({ manifest }) => manifest.profiles)),
    parents: devices.filter(({ id }) => parents.has(id)),
    childTypes: sorted(devices.flatMap(({ resource }) => resource.child_type ?? [])),
  };
}
