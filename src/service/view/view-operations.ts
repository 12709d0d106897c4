import { VIEW_KINDS, type ViewKind } from "#core/view/view.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { listOf, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import { createKioskLink, type KioskNeeds } from "#service/view/kiosk-link.ts";
import { changeView, deleteView, listViews, saveView, visibleView } from "#service/view/saved-views.ts";
import { contentProblems } from "#service/view/view-content.ts";
import {
  kioskLinkSchema,
  newKioskLinkSchema,
  newViewSchema,
  parseKioskLifetime,
  renderKioskLink,
  renderView,
  renderViewHead,
  viewChangeSchema,
  viewHeadSchema,
  viewSchema,
} from "#service/view/view-wire.ts";

const tag = "Views";
const answer = Type.Object({ view: viewSchema }, { additionalProperties: false });

export function viewOperations(needs: KioskNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/views",
      name: "listViews",
      summary: "List saved views",
      description: "The caller's own and the shared ones, by name, without their contents.",
      tag,
      level: "readonly",
      query: { ...paging, "kind.in": listOf("Only these kinds.", VIEW_KINDS) },
      answer: listAnswer("views", viewHeadSchema),
      run: async (call) => {
        const asked = { siteId: call.params.site_id, kinds: call.query["kind.in"], page: pageOf(call.query) };
        return renderPage("views", await listViews(needs, call, asked), renderViewHead);
      },
    }),
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/views",
      name: "createView",
      summary: "Save a view",
      description:
        "A chart, a dashboard or a filter. A shared one needs level user. Views stay where they were saved: a cloud and its " +
        "gateways have their own.",
      tag,
      level: "readonly",
      body: newViewSchema,
      moreMistakes: contentMistakes,
      answer,
      run: async (call) => {
        const { kind, name, content, is_shared, is_start } = call.body;
        const input = { kind, name, content, isShared: is_shared === true, isStart: is_start === true };
        return { view: renderView(await saveView(needs, call, { siteId: call.params.site_id, input })) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/views/:view_id",
      name: "getView",
      summary: "Get a saved view",
      tag,
      level: "readonly",
      answer,
      run: async (call) => ({ view: renderView(await visibleView(needs, call, placeOf(call))) }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/sites/:site_id/views/:view_id",
      name: "updateView",
      summary: "Change a saved view",
      description:
        "Refused with 409 if somebody has changed it since the given revision. A shared one needs level user.",
      tag,
      level: "readonly",
      body: viewChangeSchema,
      answer,
      run: async (call) => {
        const { revision, name, content, is_shared: isShared, is_start: isStart } = call.body;
        const change = {
          revision,
          ...(name !== undefined && { name }),
          ...(content !== undefined && { content }),
          ...(isShared !== undefined && { isShared }),
          ...(isStart !== undefined && { isStart }),
        };
        return { view: renderView(await changeView(needs, call, { ...placeOf(call), ...change })) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sites/:site_id/views/:view_id",
      name: "deleteView",
      summary: "Delete a saved view",
      description: "A shared one needs level user.",
      tag,
      level: "readonly",
      answer: NOTHING,
      run: async (call) => {
        await deleteView(needs, call, placeOf(call));
        return {};
      },
    }),
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/views/:view_id/kiosk",
      name: "createKioskLink",
      summary: "Create a link for a screen on a wall",
      description:
        "Makes a token of level readonly for this site alone, and a code that signs in with it once, within 10 minutes. The " +
        "dashboard has to be shared. Revoking the token ends the screen.",
      tag,
      level: "owner",
      body: newKioskLinkSchema,
      answer: kioskLinkSchema,
      run: async (call) => {
        const asked = { ...placeOf(call), expiresInMs: parseKioskLifetime(call.body) };
        return renderKioskLink(await createKioskLink(needs, call, asked));
      },
    }),
  ];
}

function placeOf({ params }: { readonly params: { readonly site_id: string; readonly view_id: string } }) {
  return { siteId: params.site_id, id: params.view_id };
}

/** A content that is no object at all is the schema's business. */
function contentMistakes(body: unknown) {
  const { kind, content } = (body ?? {}) as { readonly kind?: unknown; readonly content?: unknown };
  const known = VIEW_KINDS.find((one): one is ViewKind => one === kind);
  return known === undefined || typeof content !== "object" || content === null ? [] : contentProblems(known, content);
}
