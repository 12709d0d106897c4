import { defineMessages } from "#web/i18n/define-messages.ts";

export const t = defineMessages({
  en: {
    scan: "Scan this with the app:",
    qrCode: "QR code with the secret for the app",
    orType: "Or type this into the app. It is shown only now.",
    firstCodeHint: "The six digits that the app shows now.",
    recoveryCodes: "Recovery codes",
    recoveryCodesText:
      "Each of them works once instead of the app, if your phone is gone. They are shown only now: keep them apart from the phone.",
    codesKept: "I have kept them",
  },
  de: {
    scan: "Scannen Sie dies mit der App:",
    qrCode: "QR-Code mit dem Geheimnis für die App",
    orType: "Oder tippen Sie dies in die App. Es wird nur jetzt gezeigt.",
    firstCodeHint: "Die sechs Ziffern, die die App jetzt zeigt.",
    recoveryCodes: "Wiederherstellungscodes",
    recoveryCodesText:
      "Jeder gilt einmal anstelle der App, wenn Ihr Telefon weg ist. Sie werden nur jetzt gezeigt: Bewahren Sie sie getrennt vom Telefon auf.",
    codesKept: "Ich habe sie aufbewahrt",
  },
});
