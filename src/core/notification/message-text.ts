// Messages in words, in the language of their channel. Title and text are plain: every channel shows them as they are.
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import type { MessageLanguage } from "./channel.ts";
import type { MessageContent, MessageItem, MessageKind } from "./message.ts";
import { worst } from "./severity.ts";

export interface MessageText {
  readonly title: string;
  readonly text: string;
  readonly severity: AlertSeverity;
}

interface Words {
  readonly severities: Readonly<Record<AlertSeverity, string>>;
  readonly heads: Readonly<Record<MessageKind, string>>;
  readonly alerts: (count: number) => string;
  readonly since: string;
  readonly more: (count: number) => string;
  readonly test: string;
  readonly locale: string;
}

const WORDS: Readonly<Record<MessageLanguage, Words>> = {
  en: {
    severities: { info: "Info", warning: "Warning", error: "Error" },
    heads: { raised: "", reminder: "Reminder: ", over: "Over: ", rule: "", test: "" },
    alerts: (count) => `${count} alerts`,
    since: "since",
    more: (count) => `and ${count} more`,
    test: "This is a test message. The channel works.",
    locale: "en-GB",
  },
  de: {
    severities: { info: "Hinweis", warning: "Warnung", error: "Fehler" },
    heads: { raised: "", reminder: "Erinnerung: ", over: "Vorbei: ", rule: "", test: "" },
    alerts: (count) => `${count} Meldungen`,
    since: "seit",
    more: (count) => `und ${count} weitere`,
    test: "Dies ist eine Testnachricht. Der Kanal funktioniert.",
    locale: "de-DE",
  },
};

const LONGEST_TITLE = 150;

/** The text has at most so many characters: a list is cut at a line, and says how many are left out. */
export function messageText(content: MessageContent, language: MessageLanguage, longest: number): MessageText {
  const words = WORDS[language];
  const severity = worst(content.items.map((item) => item.severity));
  const title = cut(oneLine(`${words.heads[content.kind]}${subject(content, words)} – ${content.site}`), LONGEST_TITLE);
  if (content.kind === "test") return { title, severity, text: words.test };
  const format = new Intl.DateTimeFormat(words.locale, {
    ...{ timeZone: content.timezone, dateStyle: "medium", timeStyle: "short" },
  });
  const lines = content.items.map((item) => lineOf(item, { words, format, kind: content.kind }));
  return { title, severity, text: joined(lines, words, longest) };
}

function subject({ kind, items, site }: MessageContent, words: Words): string {
  const [first] = items;
  if (first === undefined) return kind === "test" ? "Test" : site;
  if (items.length > 1) return words.alerts(items.length);
  const what = first.device === undefined ? first.name : `${first.device}: ${first.name}`;
  return kind === "over" ? what : `${words.severities[first.severity]}: ${what}`;
}

function lineOf(
  item: MessageItem,
  { words, format, kind }: { readonly words: Words; readonly format: Intl.DateTimeFormat; readonly kind: MessageKind },
): string {
  const { device, name, text, severity, at } = item;
  const what = device === undefined ? name : `${device}: ${name}`;
  const when = kind === "rule" ? format.format(at) : `${words.since} ${format.format(at)}`;
  const head = oneLine(`${words.severities[severity]} – ${what} (${when})`);
  return text === undefined ? head : `${head}\n  ${oneLine(text)}`;
}

function joined(lines: readonly string[], words: Words, longest: number): string {
  const whole = lines.join("\n");
  if (whole.length <= longest) return whole;
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    const rest = words.more(lines.length - kept.length);
    if (length + line.length + 1 + rest.length > longest) break;
    kept.push(line);
    length += line.length + 1;
  }
  if (kept.length === 0) return cut(lines[0] ?? "", longest);
  return [...kept, words.more(lines.length - kept.length)].join("\n");
}

/** Names come from devices and people: none of them begins a new line, or a header. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();

/** Never inside a pair of surrogates. */
const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
