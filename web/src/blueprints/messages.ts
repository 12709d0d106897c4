import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    new: "New blueprint",
    telemetry: "Telemetry",
    commands: "Commands",
    properties: "Properties",
    configuration: "Configuration",
    alerts: "Alerts",
    states: (count: number) => `${count} states`,
    parameters: (count: number) => (count === 1 ? "1 parameter" : `${count} parameters`),
  },
  de: {
    new: "Neuer Blueprint",
    telemetry: "Telemetrie",
    commands: "Befehle",
    properties: "Eigenschaften",
    configuration: "Konfiguration",
    alerts: "Meldungen",
    states: (count) => `${count} Zustände`,
    parameters: (count) => `${count} Parameter`,
  },
});
