import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    now: "now",
    alertMark: (name: string, at: string) => `Alert at ${at}: ${name}`,
    alertMarks: (name: string, more: number, at: string) => `Alerts at ${at}: ${name} and ${more} more`,
    noValues: "no values",
    legend: "What is shown",
  },
  de: {
    now: "jetzt",
    alertMark: (name, at) => `Meldung um ${at}: ${name}`,
    alertMarks: (name, more, at) => `Meldungen um ${at}: ${name} und ${more} weitere`,
    noValues: "keine Werte",
    legend: "Was gezeigt wird",
  },
});
