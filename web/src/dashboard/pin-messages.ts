import { defineMessages } from "#web/i18n/define-messages.ts";

/** Few, because the button is on screens that load fast. */
export const t = defineMessages({
  en: { pin: (name: string) => `Pin ${name} to a dashboard`, pinShort: "Pin" },
  de: { pin: (name) => `${name} an ein Dashboard anheften`, pinShort: "Anheften" },
});
