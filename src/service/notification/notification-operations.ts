import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import type { Reader } from "#service/ports/notification-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import {
  notificationSchema,
  parseReadMark,
  readMarkSchema,
  readStateSchema,
  renderNotification,
  renderReadState,
} from "./notification-wire.ts";
import { personOf } from "./push-devices.ts";

export type NotificationNeeds = Pick<Needs, "notifications" | "sites">;

export function notificationOperations(needs: NotificationNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/notifications",
      name: "listNotifications",
      summary: "List the notifications of a site",
      description: "Messages of rules to the people of the site; newest first, of the last 30 days.",
      tag: "Rules",
      level: "readonly",
      atGateway: askedOfGateway,
      query: paging,
      answer: listAnswer("notifications", notificationSchema),
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        return renderPage("notifications", await needs.notifications.list(id, pageOf(call.query)), renderNotification);
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/notifications/read",
      name: "getNotificationsRead",
      summary: "Read how many notifications of a site the caller has not read",
      description: "The same for all sessions and tokens of a person. A cloud and its gateways have their own.",
      tag: "Rules",
      level: "readonly",
      answer: readStateSchema,
      run: async (call) => renderReadState(await needs.notifications.readState(await readerOf(needs, call))),
    }),
    operation({
      method: "PUT",
      path: "/v3/sites/:site_id/notifications/read",
      name: "putNotificationsRead",
      summary: "Say how far the caller has read the notifications of a site",
      description:
        "Up to the time of the newest that was shown. An earlier time than before changes nothing, and one after the newest counts " +
        "as the newest. The audit log does not have it.",
      tag: "Rules",
      level: "readonly",
      body: readMarkSchema,
      answer: readStateSchema,
      run: async (call) => {
        const reader = await readerOf(needs, call);
        await needs.notifications.markRead(reader, parseReadMark(call.body));
        return renderReadState(await needs.notifications.readState(reader));
      },
    }),
  ];
}

async function readerOf(
  needs: NotificationNeeds,
  call: Call & { readonly params: { readonly site_id: string } },
): Promise<Reader> {
  return { siteId: (await visibleSite(needs, call, call.params.site_id)).id, person: personOf(call.caller) };
}
