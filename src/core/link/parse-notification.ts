// Reads a notification of a site, as its gateway reports it, and says what is wrong with one.
import { isSlug, isUuid, SLUG_RULE } from "#core/device/slug.ts";
import {
  LONGEST_NOTIFICATION,
  LONGEST_NOTIFICATION_TITLE,
  NOTIFICATION_SEVERITIES,
  NOTIFICATION_SOURCES,
} from "#core/notification/notification.ts";
import { parseRuleKey } from "./linked-key.ts";
import { type Fields, moment, object, optionalText, text, word } from "./message-fields.ts";
import type { LinkedNotification } from "./messages.ts";

export function parseNotification(given: Fields): LinkedNotification {
  const source = object(given["source"], "source");
  return {
    at: moment(given, "at"),
    severity: word(given, "severity", NOTIFICATION_SEVERITIES),
    title: optionalText(given, "title"),
    text: text(given, "text"),
    source: { kind: word(source, "kind", NOTIFICATION_SOURCES), id: text(source, "id"), slug: text(source, "slug") },
  };
}

/** Undefined when nothing is wrong. */
export function notificationProblem(key: string, notification: LinkedNotification | null): string | undefined {
  const name = parseRuleKey(key);
  if (name === undefined) return `${quoted(key)} names no notification`;
  if (!isUuid(name.siteId)) return `the id of the site is ${quoted(name.siteId)}, not a UUID`;
  if (!isUuid(name.id)) return `the id of the notification is ${quoted(name.id)}, not a UUID`;
  if (notification === null) return undefined;
  const { text: said, title, source } = notification;
  if (said === "" || said.length > LONGEST_NOTIFICATION) {
    return `the text of a notification has 1 to ${LONGEST_NOTIFICATION} characters`;
  }
  if ((title?.length ?? 0) > LONGEST_NOTIFICATION_TITLE) {
    return `the title of a notification has more than ${LONGEST_NOTIFICATION_TITLE} characters`;
  }
  if (!isUuid(source.id)) return `the id of who sent the notification is ${quoted(source.id)}, not a UUID`;
  return isSlug(source.slug) ? undefined : `the slug ${quoted(source.slug)} is none: ${SLUG_RULE}`;
}

const quoted = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
