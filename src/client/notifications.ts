import { listUnder } from "./list-of.ts";
import type {
  NewNotificationChannel,
  NewNotificationPreview,
  NewNotificationRoute,
  NewPushDevice,
  Queries,
} from "./resources.ts";
import type { Transport } from "./transport.ts";

/** Messages of rules to the people of a site, newest first, and how these people are reached. */
export function notifications({ perform }: Transport) {
  return {
    list: listUnder("notifications", (site_id: string, query: Queries["listNotifications"] = {}) =>
      perform("listNotifications", { params: { site_id }, query }),
    ),
    /** How many the caller has not read. */
    read: (site_id: string) => perform("getNotificationsRead", { params: { site_id } }),
    /** The caller has read those up to this time. */
    markRead: (site_id: string, until: string) =>
      perform("putNotificationsRead", { params: { site_id }, body: { until } }),
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
    routes: listUnder("routes", (site_id: string, query: Queries["listNotificationRoutes"] = {}) =>
      perform("listNotificationRoutes", { params: { site_id }, query }),
    ),
    createRoute: (site_id: string, body: NewNotificationRoute) =>
      perform("createNotificationRoute", { params: { site_id }, body }),
    putRoute: (site_id: string, route_id: string, body: NewNotificationRoute) =>
      perform("putNotificationRoute", { params: { site_id, route_id }, body }),
    deleteRoute: (site_id: string, route_id: string) =>
      perform("deleteNotificationRoute", { params: { site_id, route_id } }),
    /** Who would be notified. */
    preview: (site_id: string, body: NewNotificationPreview) =>
      perform("previewNotification", { params: { site_id }, body }),
    /** What was sent or waits, newest first. */
    messages: listUnder("messages", (site_id: string, query: Queries["listNotificationMessages"] = {}) =>
      perform("listNotificationMessages", { params: { site_id }, query }),
    ),
    retryMessage: (site_id: string, message_id: string) =>
      perform("retryNotificationMessage", { params: { site_id, message_id } }),
    /** How browsers subscribe, and the caller's own devices. */
    push: (site_id: string) => perform("getPush", { params: { site_id } }),
    /** Lets a device of the caller take messages. */
    subscribe: (site_id: string, body: NewPushDevice) => perform("subscribePush", { params: { site_id }, body }),
    endDevice: (site_id: string, push_device_id: string) => perform("endPush", { params: { site_id, push_device_id } }),
    /** Sends a test message, once, and returns how that went. */
    testChannel: (site_id: string, channel_id: string) =>
      perform("testNotificationChannel", { params: { site_id, channel_id } }),
  };
}
