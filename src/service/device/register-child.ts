import { refuse } from "#core/app-error.ts";
import { type Device, UNSET_FIELDS } from "#core/device/device.ts";
import { isSlug } from "#core/device/slug.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import { type ProvisionNeeds, provisionDevice } from "#service/device/provision-device.ts";

export interface RegisterNeeds extends ProvisionNeeds {
  readonly children: ChildRoutes;
  /** The setting: whether devices may add children by themselves. */
  readonly mayRegisterChildren: boolean;
}

/** What a device says about a child that it announces. */
export interface AnnouncedChild {
  /** The channel, and the slug. */
  readonly channelId: string;
  readonly name: string | undefined;
  readonly childType: string | undefined;
  readonly blueprintId: string | undefined;
}

/** Children that one device may add by itself. */
const MAX_REGISTERED = 1_000;
const MAX_TEXT = 100;

/** The child with this channel. If there is none, the device adds it, where the settings allow that. */
export async function registerChild(needs: RegisterNeeds, parent: Device, announced: AnnouncedChild): Promise<Device> {
  const { channelId } = announced;
  const known = await needs.children.byChannel(parent, channelId);
  if (known !== undefined) return known;
  const shown = JSON.stringify(channelId.slice(0, MAX_TEXT));
  if (!needs.mayRegisterChildren) {
    const message = `there is no child ${shown}; add it as a device of type CHILD, or set devices.register_children`;
    throw refuse("device_not_found", message);
  }
  if (!isSlug(channelId)) throw refuse("invalid_body", `${shown} cannot be the slug of a child`);
  if ((await needs.children.below(parent)).length >= MAX_REGISTERED) {
    throw refuse("conflict", `the device has ${MAX_REGISTERED} children; it cannot add ${shown}`);
  }
  const call = {
    caller: {
      tokenId: `device ${parent.id}`,
      tokenName: parent.slug,
      level: "system",
      sites: new Set([parent.siteId]),
    },
    operation: "registerChild",
    requestId: parent.id,
    remoteAddress: "local",
    door: "busbar",
  } as const;
  const child = await provisionDevice(needs, call, {
    ...UNSET_FIELDS,
    type: "CHILD",
    name: announced.name?.slice(0, MAX_TEXT) || channelId,
    slug: channelId,
    siteId: parent.siteId,
    blueprintId: announced.blueprintId,
    parent: parent.id,
    childType: announced.childType?.slice(0, MAX_TEXT) || "child",
  });
  await needs.children.place(child);
  return child;
}
