import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    tabs: "Parts of the device",
    overview: "Overview",
    commands: "Commands",
    executions: "Executions",
    alerts: "Alerts",
    configuration: "Configuration",
    logs: "Logs",
    runtime: "Script",
    simulation: "Simulation",
    lastSeen: "last value",
    devices: "Devices",
    noBlueprint: "no blueprint",
  },
  de: {
    tabs: "Teile des Geräts",
    overview: "Übersicht",
    commands: "Befehle",
    executions: "Ausführungen",
    alerts: "Meldungen",
    configuration: "Konfiguration",
    logs: "Protokoll",
    runtime: "Skript",
    simulation: "Simulation",
    lastSeen: "letzter Wert",
    devices: "Geräte",
    noBlueprint: "kein Blueprint",
  },
});
