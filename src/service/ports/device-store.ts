import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteScope } from "#core/access/caller.ts";
import type { Device, DeviceChange, DeviceCredential, PropertyValue } from "#core/device/device.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

export interface DeviceFilter {
  readonly scope: SiteScope;
  readonly siteId?: string | undefined;
  /** Ids or slugs; a slug means every device in scope that has it. */
  readonly names?: readonly string[] | undefined;
  /** Ids or slugs. */
  readonly parents?: readonly string[] | undefined;
  readonly childTypes?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly blueprintIds?: readonly string[] | undefined;
}

/**
 * A new device. Without a slug the store gives it a free one made from its name: the first free one, unless very many
 * share the name.
 */
export type NewDevice = Omit<Device, "slug"> & { readonly slug: string | undefined };

export interface DeviceStore {
  /** Refuses with `slug_taken`, or `conflict` when the site, parent or blueprint is gone. */
  insert(device: NewDevice, trail: AuditEntry): Promise<Device>;
  find(id: string): Promise<Device | undefined>;
  /** The same without any wait, if the device happens to be in memory. */
  known(id: string): Device | undefined;
  /**
   * The device if its site is in scope. It takes the same steps whether the device does not exist or is out of scope,
   * so timing reveals nothing.
   */
  findIn(id: string, scope: SiteScope): Promise<Device | undefined>;
  /** The devices in scope that have the slug, at most two: enough to distinguish one from several. */
  findBySlug(slug: string, scope: SiteScope): Promise<readonly Device[]>;
  /** Ordered by id, which is the order of creation. */
  list(filter: DeviceFilter, page: PageRequest): Promise<Page<Device>>;
  /**
   * Undefined when there is no such device. Refuses with `slug_taken`, or with `conflict` when the parent is gone, on
   * another site or below the device.
   */
  update(
    id: string,
    change: DeviceChange & { readonly updatedAt: Instant },
    trail: AuditEntry,
  ): Promise<Device | undefined>;
  /** False when there is no such device. Refuses with `conflict` while it has children. */
  delete(id: string, trail: AuditEntry): Promise<boolean>;
  /** Replaces the device's credential and so voids the former secret. */
  putCredential(credential: DeviceCredential, trail: AuditEntry): Promise<void>;
  findCredential(deviceId: string): Promise<DeviceCredential | undefined>;
  findCredentialByHardwareId(hardwareId: string): Promise<DeviceCredential | undefined>;
  /** Sets the named properties and keeps the others. An older value never replaces a newer one. */
  putProperties(deviceId: string, values: readonly PropertyValue[]): Promise<void>;
  /** One list per asked id, ordered by name. */
  properties(deviceIds: readonly string[]): Promise<ReadonlyMap<string, readonly PropertyValue[]>>;
}
