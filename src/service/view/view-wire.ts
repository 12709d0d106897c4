import { refuse } from "#core/app-error.ts";
import { renderInstant } from "#core/time/instant.ts";
import { LONGEST_VIEW_NAME, VIEW_KINDS, type View, type ViewHead } from "#core/view/view.ts";
import { parseLifetime } from "#service/access/token-wire.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { KioskLink } from "#service/view/kiosk-link.ts";
import {
  dashboardSchema,
  deviceFilterSchema,
  exploreSchema,
  readContent,
  type ViewContent,
} from "#service/view/view-content.ts";

const viewName = name("A name for people.", LONGEST_VIEW_NAME);
const isShared = Type.Boolean({
  description: "Everybody who sees the site sees it, and level user changes it. Otherwise it is the caller's own.",
});
const isStart = Type.Boolean({
  description:
    "The page of the site begins with this dashboard, or Explore with this chart: the page keeps there what was looked at last. " +
    "One of each kind; one's own comes before the shared one.",
});
/** Checked by the schema of its kind. */
const anyContent = Type.Unsafe<ViewContent>({
  type: "object",
  description: "ExploreView, DashboardView or DeviceFilterView, by the kind. At most 64 KiB.",
});

const head = {
  id: id("View identifier."),
  site_id: Type.String(),
  kind: oneOf(VIEW_KINDS),
  name: Type.String(),
  is_shared: isShared,
  is_start: isStart,
  revision: Type.Integer({ description: "Rises with each change." }),
  created_at: timestamp,
  updated_at: timestamp,
};

export const viewHeadSchema = described("ViewHead", "A saved view without its content.", head);

export const viewSchema = described("SavedView", "What somebody saved on the page.", {
  ...head,
  content: Type.Unsafe<ViewContent>({ anyOf: [exploreSchema, dashboardSchema, deviceFilterSchema] }),
});

export const newViewSchema = strict("NewView", {
  kind: oneOf(VIEW_KINDS),
  name: viewName,
  content: anyContent,
  is_shared: Type.Optional(isShared),
  is_start: Type.Optional(isStart),
});

export const viewChangeSchema = strict("ViewChange", {
  revision: Type.Integer({ minimum: 1, description: "The one that was read. 409 if somebody changed the view since." }),
  name: Type.Optional(viewName),
  content: Type.Optional(anyContent),
  is_shared: Type.Optional(isShared),
  is_start: Type.Optional(isStart),
});

export const newKioskLinkSchema = strict("NewKioskLink", {
  expires_in: Type.Optional(
    Type.String({
      maxLength: 50,
      description: "How long the screen may show it: a duration such as 365d, the default.",
    }),
  ),
});

export const kioskLinkSchema = strict("KioskLink", {
  token_id: Type.String({
    description: "The screen's token: level readonly, this site alone. Revoke it to end the screen.",
  }),
  token_expires_at: timestamp,
  code: Type.String({ description: "For the link /sites/{site_id}/kiosk/{view_id}#code=... of the page. Valid once." }),
  code_expires_at: timestamp,
});

const DEFAULT_KIOSK_LIFETIME = "365d";
const LONGEST_KIOSK_LIFETIME = "5y";

/** Milliseconds. */
export function parseKioskLifetime({ expires_in }: Static<typeof newKioskLinkSchema>): number {
  return parseLifetime(expires_in ?? DEFAULT_KIOSK_LIFETIME, LONGEST_KIOSK_LIFETIME);
}

export function renderKioskLink(link: KioskLink): Static<typeof kioskLinkSchema> {
  return {
    token_id: link.tokenId,
    token_expires_at: renderInstant(link.tokenExpiresAt),
    code: link.code,
    code_expires_at: renderInstant(link.codeExpiresAt),
  };
}

export function renderViewHead(view: ViewHead): Static<typeof viewHeadSchema> {
  const { id, siteId, kind, name, ownerId, isStart, revision, createdAt, updatedAt } = view;
  return {
    id,
    site_id: siteId,
    kind,
    name,
    is_shared: ownerId === undefined,
    is_start: isStart,
    revision,
    created_at: renderInstant(createdAt),
    updated_at: renderInstant(updatedAt),
  };
}

/** Throws `storage_damaged` where what is stored is not what was saved. Such a view is listed, and can be deleted. */
export function renderView(view: View): Static<typeof viewSchema> {
  const content = readContent(view.kind, view.content);
  if (content !== undefined) return { ...renderViewHead(view), content };
  throw refuse("storage_damaged", `what is stored of the view ${view.name} is damaged; delete it, and save it anew`, {
    view_id: view.id,
  });
}
