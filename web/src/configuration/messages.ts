import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    loading: "Reading the configuration",
    saved: (bucket: string) => `${bucket} is saved`,
    reset: "Discard changes",
    changed: "Somebody else has changed these values. Your changes are still here.",
    takeOver: "Discard mine and show the new ones",
    forget: (field: string) => `Delete the stored value of ${field}`,
    none: "This blueprint has no configuration",
    noneText: "What a device can be told is declared under configuration in its manifest.",
    unreadable: "The stored values could not be read. Saving this form repairs them.",
  },
  de: {
    loading: "Konfiguration wird gelesen",
    saved: (bucket) => `${bucket} ist gespeichert`,
    reset: "Änderungen verwerfen",
    changed: "Jemand anders hat diese Werte geändert. Ihre Änderungen sind noch hier.",
    takeOver: "Meine verwerfen und die neuen zeigen",
    forget: (field) => `Gespeicherten Wert von ${field} löschen`,
    none: "Dieser Blueprint hat keine Konfiguration",
    noneText: "Was einem Gerät vorgegeben werden kann, steht unter configuration in seinem Manifest.",
    unreadable: "Die gespeicherten Werte konnten nicht gelesen werden. Speichern behebt das.",
  },
});
