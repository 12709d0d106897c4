import { listUnder } from "./list-of.ts";
import type { NewNotificationChannel, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** What rules told the people of a site, newest first, and how these are reached. */
export function notifications({ perform }: Transport) {
  return {
    list: listUnder("notifications", (site_id: string, query: Queries["listNotifications"] = {}) =>
      perform("listNotifications", { params: { site_id }, query }),
    ),
    channels: listUnder("channels", (site_id: string, query: Queries["listNotificationChannels"] = {}) =>
      perform("listNotificationChannels", { params: { site_id }, query }),
    ),
    channel: (site_id: string, channel_id: string) =>
      perform("getNotificationChannel", { params: { site_id, channel_id } }),
    /** The secret that a webhook's messages are signed with is in this answer and nowhere else. */
    createChannel: (site_id: string, body: NewNotificationChannel) =>
      perform("createNotificationChannel", { params: { site_id }, body }),
    putChannel: (site_id: string, channel_id: string, body: NewNotificationChannel) =>
      perform("putNotificationChannel", { params: { site_id, channel_id }, body }),
    deleteChannel: (site_id: string, channel_id: string) =>
      perform("deleteNotificationChannel", { params: { site_id, channel_id } }),
    /** Sends a test message, once, and returns how that went. */
    testChannel: (site_id: string, channel_id: string) =>
      perform("testNotificationChannel", { params: { site_id, channel_id } }),
  };
}
