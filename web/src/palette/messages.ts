import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    title: "Search",
    placeholder: "Devices, commands, screens",
    hint: "Begin with > for commands only. Arrow keys choose, Enter opens.",
    nothing: "Nothing found",
    found: (count: number) => `${count} found`,
    screen: "Screen",
    site: "Site",
    device: "Device",
    command: "Command",
    help: "Help",
    apiReference: "API reference",
    onSite: "this site",
  },
  de: {
    title: "Suchen",
    placeholder: "Geräte, Befehle, Seiten",
    hint: "Mit > am Anfang nur Befehle. Pfeiltasten wählen aus, die Eingabetaste öffnet.",
    nothing: "Nichts gefunden",
    found: (count) => `${count} gefunden`,
    screen: "Seite",
    site: "Standort",
    device: "Gerät",
    command: "Befehl",
    help: "Hilfe",
    apiReference: "API-Referenz",
    onSite: "dieser Standort",
  },
});
