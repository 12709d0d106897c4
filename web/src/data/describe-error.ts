import { ApiError, UnreachableError } from "#client/errors.ts";
import type { Locale } from "./preferences.svelte.ts";

const TEXTS = {
  en: {
    unreachable: "The gateway does not answer.",
    timeout: "The gateway did not answer in time. What you asked for may have happened.",
    other: "Something went wrong in this page.",
    forbidden: "Your access level does not allow this.",
  },
  de: {
    unreachable: "Das Gateway antwortet nicht.",
    timeout: "Das Gateway hat nicht rechtzeitig geantwortet. Die Anfrage kann trotzdem ausgeführt worden sein.",
    other: "In dieser Seite ist etwas schiefgegangen.",
    forbidden: "Ihre Zugriffsstufe erlaubt das nicht.",
  },
} as const;

/** What went wrong, in words. The server's own messages are English. */
export function describeError(error: unknown, locale: Locale): string {
  const texts = TEXTS[locale];
  if (error instanceof UnreachableError) return error.reason === "timeout" ? texts.timeout : texts.unreachable;
  if (error instanceof ApiError) {
    const own = error.status === 403 ? `${texts.forbidden} ` : "";
    return `${own}${error.errors.map(({ message }) => upperFirst(message)).join(". ")}`;
  }
  return error instanceof Error ? `${texts.other} (${error.message})` : texts.other;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
