import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    loading: "Reading the configuration",
    saved: (bucket: string) => `${bucket} is saved`,
    waits: "These values wait for the gateway. The device keeps the old ones until then.",
    showStored: "Show the stored ones",
    notMade: (bucket: string) =>
      `${bucket} was not changed: the gateway has refused it, or it was changed there in the meantime.`,
    withdrawn: (bucket: string) => `${bucket} was not changed: the change was withdrawn.`,
    reset: "Discard changes",
    changed: "Somebody else has changed these values. Your changes are still here.",
    takeOver: "Discard mine and show the new ones",
    forget: (field: string) => `Delete the stored value of ${field}`,
    none: "This blueprint has no configuration",
    noneText: "The manifest's `configuration` section defines the settings of a device.",
    unreadable: "The stored values could not be read. Saving this form repairs them.",
  },
  de: {
    loading: "Konfiguration wird gelesen",
    saved: (bucket) => `${bucket} ist gespeichert`,
    waits: "Diese Werte warten auf das Gateway. Bis dahin hat das Gerät die bisherigen.",
    showStored: "Die gespeicherten zeigen",
    notMade: (bucket) =>
      `${bucket} wurde nicht geändert: Das Gateway hat es abgelehnt, oder dort wurde es inzwischen geändert.`,
    withdrawn: (bucket) => `${bucket} wurde nicht geändert: Die Änderung wurde zurückgezogen.`,
    reset: "Änderungen verwerfen",
    changed: "Jemand anders hat diese Werte geändert. Ihre Änderungen sind noch hier.",
    takeOver: "Meine verwerfen und die neuen zeigen",
    forget: (field) => `Gespeicherten Wert von ${field} löschen`,
    none: "Dieser Blueprint hat keine Konfiguration",
    noneText: "Der Abschnitt `configuration` des Manifests beschreibt die Einstellungen eines Geräts.",
    unreadable: "Die gespeicherten Werte konnten nicht gelesen werden. Speichern behebt das.",
  },
});
