import { defineMessages } from "#web/i18n/define-messages.ts";

/** What a rule that is made from something is called, and the link that makes it. */
export const t = defineMessages({
  en: {
    makeRule: "Make a rule from this",
    raised: (title: string) => `${title} is active`,
    crossed: (title: string) => `${title} is above its limit`,
    offline: (title: string) => `${title} is offline`,
    back: (title: string) => `${title} is online again`,
  },
  de: {
    makeRule: "Regel daraus machen",
    raised: (title) => `${title} ist aktiv`,
    crossed: (title) => `${title} liegt über der Grenze`,
    offline: (title) => `${title} ist nicht verbunden`,
    back: (title) => `${title} ist wieder verbunden`,
  },
});
