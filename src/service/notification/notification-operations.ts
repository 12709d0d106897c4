import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { notificationSchema, renderNotification } from "./notification-wire.ts";

export type NotificationNeeds = Pick<Needs, "notifications" | "sites">;

export function notificationOperations(needs: NotificationNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/notifications",
      name: "listNotifications",
      summary: "List the notifications of a site",
      description: "What rules told the people of the site; newest first, of the last 30 days.",
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
  ];
}
