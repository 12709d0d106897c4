// Views: listed, read, saved, changed and deleted. Somebody else's own view looks like one that does not exist.
import { type Caller, seesSite } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { AppError, refuse } from "#core/app-error.ts";
import type { View, ViewChange, ViewHead, ViewKind } from "#core/view/view.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { storedContent } from "#service/view/view-content.ts";

export type ViewNeeds = Pick<Needs, "sites" | "views" | "now" | "newId">;

export interface ViewInput {
  readonly kind: ViewKind;
  readonly name: string;
  readonly content: unknown;
  readonly isShared: boolean;
  readonly isStart: boolean;
}

export interface ViewChangeInput extends Partial<Omit<ViewInput, "kind">> {
  readonly revision: number;
}

interface Place {
  readonly siteId: string;
  readonly id: string;
}

export async function listViews(
  needs: ViewNeeds,
  call: Call,
  {
    siteId,
    kinds,
    page,
  }: { readonly siteId: string; readonly kinds?: readonly ViewKind[] | undefined; readonly page: PageRequest },
): Promise<Page<ViewHead>> {
  const site = await visibleSite(needs, call, siteId);
  return await needs.views.list({ siteId: site.id, ownerId: call.caller.tokenId, kinds }, page);
}

/** A view that the caller sees. */
export async function visibleView(needs: Pick<Needs, "views">, { caller }: Call, { siteId, id }: Place): Promise<View> {
  const view = seesSite(caller, siteId) ? await needs.views.find(siteId, id) : undefined;
  if (view === undefined || !(view.ownerId === undefined || view.ownerId === caller.tokenId)) {
    throw refuse("not_found", `the site has no view ${id.slice(0, 80)}`);
  }
  return view;
}

export async function saveView(
  needs: ViewNeeds,
  call: Call,
  { siteId, input }: { readonly siteId: string; readonly input: ViewInput },
): Promise<View> {
  const site = await visibleSite(needs, call, siteId);
  if (input.isShared) requireMayShare(call.caller);
  requireCanStart(input.kind, input.isStart);
  const now = needs.now();
  const view: View = {
    id: needs.newId(),
    siteId: site.id,
    kind: input.kind,
    name: input.name,
    ownerId: input.isShared ? undefined : call.caller.tokenId,
    isStart: input.isStart,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    content: storedContent(input.kind, input.content),
  };
  await needs.views.insert(view, trailOf(needs, call, view));
  return view;
}

export async function changeView(
  needs: ViewNeeds,
  call: Call,
  { revision, isShared, content, name, isStart, ...place }: Place & ViewChangeInput,
): Promise<View> {
  const before = await visibleView(needs, call, place);
  if (before.ownerId === undefined || isShared === true) requireMayShare(call.caller);
  requireCanStart(before.kind, isStart === true);
  const change: ViewChange = {
    ...(name !== undefined && { name }),
    ...(isStart !== undefined && { isStart }),
    ...(isShared !== undefined && { ownerId: isShared ? undefined : call.caller.tokenId }),
    ...(content !== undefined && { content: storedContent(before.kind, content) }),
  };
  const trail = trailOf(needs, call, { ...before, ...change });
  const view = await needs.views.update({ ...place, revision, change, at: needs.now() }, trail);
  if (view === undefined) throw refuse("not_found", `the site has no view ${place.id}`);
  return view;
}

export async function deleteView(needs: ViewNeeds, call: Call, place: Place): Promise<void> {
  const view = await visibleView(needs, call, place);
  if (view.ownerId === undefined) requireMayShare(call.caller);
  const isDeleted = await needs.views.delete(place.siteId, place.id, trailOf(needs, call, view));
  if (!isDeleted) throw refuse("not_found", `the site has no view ${place.id}`);
}

function requireMayShare({ level }: Caller): void {
  if (allows(level, "user")) return;
  throw refuse("forbidden", `shared views need level user, and the token has ${level}`, { pointer: "/is_shared" });
}

function requireCanStart(kind: ViewKind, isStart: boolean): void {
  if (!isStart || kind === "dashboard" || kind === "explore") return;
  const message = "only a dashboard or a chart can be what the page begins with";
  throw new AppError([{ code: "invalid_body", message, details: { pointer: "/is_start" } }]);
}

/** What a view holds is not in the audit log: it may be long, and everybody who may know it can read it. */
function trailOf(needs: ViewNeeds, call: Call, { id, siteId, kind, name, ownerId, isStart }: View) {
  return auditTrail(needs, call, {
    target: { siteId },
    details: { view_id: id, kind, name, is_shared: ownerId === undefined, is_start: isStart },
  });
}
