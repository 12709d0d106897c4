import { defineMessages } from "#web/i18n/define-messages.ts";

/** The tabs are shown with the alerts, too, which need no other words of these screens. */
export const t = defineMessages({
  en: {
    alerts: "Alerts",
    notifications: "From rules",
    maintenance: "Maintenance",
    pushDevice: "On this device",
    messages: "Messages",
    notificationRoutes: "Who is notified",
    channels: "Channels",
  },
  de: {
    alerts: "Meldungen",
    notifications: "Von Regeln",
    maintenance: "Wartung",
    pushDevice: "Auf diesem Gerät",
    messages: "Nachrichten",
    notificationRoutes: "Wer Bescheid bekommt",
    channels: "Kanäle",
  },
});
