import { defineMessages } from "#web/i18n/define-messages.ts";

/** The few texts that a card of the overview has: the first visit loads no others of the devices. */
export const t = defineMessages({
  en: {
    unknownStatus: "Status unknown",
    neverSeen: "never seen",
    noValue: "no value yet",
    noTelemetry: "sends no numbers",
    loading: "reading",
    last24h: (name: string) => `${name}, last 24 hours`,
  },
  de: {
    unknownStatus: "Status unbekannt",
    neverSeen: "nie gesehen",
    noValue: "noch kein Wert",
    noTelemetry: "sendet keine Zahlen",
    loading: "wird gelesen",
    last24h: (name) => `${name}, letzte 24 Stunden`,
  },
});
