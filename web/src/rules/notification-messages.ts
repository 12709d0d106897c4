import { defineMessages } from "#web/i18n/define-messages.ts";

/** Of the notes that any screen may show: the table of the rules' own screens is too large for a first visit. */
export const t = defineMessages({
  en: { showNotifications: "Notifications" },
  de: { showNotifications: "Nachrichten" },
});
