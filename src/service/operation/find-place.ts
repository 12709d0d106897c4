// The device or site that a call is about.
import { visibleDevice } from "#service/device/visible-device.ts";
import type { CarriedQuestion, FindPlace } from "#service/operation/operation.ts";
import { onlySite } from "#service/site/only-site.ts";
import { visibleSite } from "#service/site/visible-site.ts";

const texts = (values: unknown) => (values ?? {}) as Readonly<Record<string, string | undefined>>;

/** The device that the path names. */
export const deviceOfPath: FindPlace = async (needs, call) => {
  const device = await visibleDevice(needs, call, texts(call.params)["device_id"] ?? "");
  return { siteId: device.siteId, device };
};

/** The site that the path names. */
export const siteOfPath: FindPlace = async (needs, call) => ({
  siteId: (await visibleSite(needs, call, texts(call.params)["site_id"] ?? "")).id,
});

/** About a site, and only its gateway can answer it. */
export const askedOfGateway = { by: "question", place: siteOfPath } as const satisfies CarriedQuestion;

/** The only site that the caller sees. */
export const siteOfCaller: FindPlace = async (needs, call) => ({
  siteId: (await onlySite(needs, call, "conflict")).id,
});

/** The site that a new device gets: the one that is named, that of its parent, or the only one. */
export const siteOfNewDevice: FindPlace = async (needs, call) => {
  const { site_id, parent_id, runtime_id } = texts(call.body);
  if (site_id !== undefined) return { siteId: (await visibleSite(needs, call, site_id)).id };
  const parent = parent_id ?? runtime_id;
  if (parent !== undefined) return { siteId: (await visibleDevice(needs, call, parent)).siteId };
  return { siteId: (await onlySite(needs, call, "invalid_body")).id };
};
