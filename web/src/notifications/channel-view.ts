// How people are reached: what the form of a channel asks for, what is wrong with it, and what it sends. Pure.
import type { NewNotificationChannel, NotificationChannel } from "#client/resources.ts";
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import { type ChannelTarget, type MessageLanguage, USUAL_PORT } from "#core/notification/channel.ts";
import { channelProblems } from "#core/notification/channel-problems.ts";

/** Kinds that a form makes. Devices that take push add themselves. */
export const NEW_KINDS = ["mail", "ntfy", "telegram", "webhook"] as const;
export type FormKind = (typeof NEW_KINDS)[number] | "push";

/** In the order in which they are asked for. */
export const FIELDS = {
  mail: ["to", "from", "host", "security", "port", "username", "password"],
  ntfy: ["topic", "server", "token"],
  telegram: ["token", "chat", "server"],
  webhook: ["url", "secret"],
  push: [],
} as const satisfies Readonly<Record<FormKind, readonly string[]>>;
type FieldName = (typeof FIELDS)[FormKind][number];

const SECRETS: readonly string[] = ["password", "token", "secret"];
const NEEDED: Readonly<Record<FormKind, readonly FieldName[]>> = {
  mail: ["to", "from", "host"],
  ntfy: ["topic"],
  telegram: ["token", "chat"],
  webhook: ["url"],
  push: [],
};
/** What the service takes for an empty field. */
const USUAL: Readonly<Partial<Record<`${FormKind}.${FieldName}`, string>>> = {
  "ntfy.server": "https://ntfy.sh",
  "telegram.server": "https://api.telegram.org",
};

export const SECURITIES = ["starttls", "tls", "none"] as const;
type Security = (typeof SECURITIES)[number];

export type ChannelDraft = {
  readonly name: string;
  readonly kind: FormKind;
  readonly language: MessageLanguage;
  /** Of a calendar; empty: no quiet hours. */
  readonly quiet: string;
  /** Empty: nothing comes in quiet hours. */
  readonly except: AlertSeverity | "";
  readonly allowPrivate: boolean;
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
};

export const isSecret = (field: string): boolean => SECRETS.includes(field);

/** A secret that is stored already need not be typed again. */
export const isNeeded = (kind: FormKind, field: FieldName, hasSecret: boolean): boolean =>
  NEEDED[kind].includes(field) && !(hasSecret && isSecret(field));

export const usualOf = (kind: FormKind, field: FieldName): string => USUAL[`${kind}.${field}`] ?? "";

/** `topic`: one that nobody guesses, because whoever knows it can read along. */
export function newDraft(kind: FormKind, language: MessageLanguage, topic: string): ChannelDraft {
  const fields = kind === "ntfy" ? { topic } : kind === "mail" ? { security: "starttls" } : {};
  return { name: "", kind, language, quiet: "", except: "error", allowPrivate: false, fields };
}

export function draftOf(channel: NotificationChannel): ChannelDraft {
  const { name, kind, language, quiet, allow_private: allowPrivate } = channel;
  const target: Readonly<Record<string, unknown>> = channel[kind] ?? {};
  const fields = Object.fromEntries(
    FIELDS[kind].flatMap((field) => (target[field] == null ? [] : [[field, String(target[field])]])),
  );
  const except = quiet === null ? "error" : (quiet.except ?? "");
  return { name, kind, language, quiet: quiet?.calendar ?? "", except, allowPrivate, fields };
}

const given = ({ fields }: ChannelDraft, field: FieldName): string | undefined =>
  (isSecret(field) ? fields[field] : fields[field]?.trim()) || undefined;

/** Fields that are missing or wrong. */
export function problemsOf(draft: ChannelDraft, hasSecret: boolean): ReadonlySet<FieldName | "name"> {
  const { kind, allowPrivate } = draft;
  const problems = new Set<FieldName | "name">(draft.name.trim() === "" ? ["name"] : []);
  for (const field of FIELDS[kind])
    if (given(draft, field) === undefined && isNeeded(kind, field, hasSecret)) problems.add(field);
  const port = given(draft, "port");
  if (kind === "mail" && port !== undefined && !(Number.isInteger(Number(port)) && Number(port) > 0))
    problems.add("port");
  const secret = FIELDS[kind].filter(isSecret).map((field) => given(draft, field))[0];
  for (const { field } of channelProblems(targetOf(draft), secret, allowPrivate)) problems.add(field as FieldName);
  if (kind === "ntfy" && !/^[-_A-Za-z0-9]{1,64}$/.test(given(draft, "topic") ?? "")) problems.add("topic");
  if (kind === "telegram" && !/^(-?[0-9]{1,20}|@[A-Za-z0-9_]{3,60})$/.test(given(draft, "chat") ?? ""))
    problems.add("chat");
  if (kind === "mail" && given(draft, "username") !== undefined && !hasSecret && secret === undefined)
    problems.add("password");
  return problems;
}

function targetOf(draft: ChannelDraft): ChannelTarget {
  const text = (field: FieldName) => given(draft, field) ?? usualOf(draft.kind, field);
  switch (draft.kind) {
    case "mail": {
      const security = (given(draft, "security") ?? "starttls") as Security;
      const port = Number(given(draft, "port") ?? USUAL_PORT[security]);
      const username = given(draft, "username");
      return { kind: "mail", host: text("host"), port, security, username, from: text("from"), to: text("to") };
    }
    case "ntfy":
      return { kind: "ntfy", server: text("server"), topic: text("topic") };
    case "telegram":
      return { kind: "telegram", server: text("server"), chat: text("chat") };
    case "webhook":
      return { kind: "webhook", url: text("url") };
    case "push":
      return { kind: "push", person: "", devices: [] };
  }
}

export function bodyOf(draft: ChannelDraft): NewNotificationChannel {
  const { kind, language, quiet, except, allowPrivate } = draft;
  const target: Record<string, string | number> = {};
  for (const field of FIELDS[kind]) {
    const text = given(draft, field);
    if (text !== undefined) target[field] = field === "port" ? Number(text) : text;
  }
  return {
    ...{ name: draft.name.trim(), language, ...(kind !== "push" && { [kind]: target }) },
    ...(quiet !== "" && { quiet: { calendar: quiet, ...(except !== "" && { except }) } }),
    ...(allowPrivate && { allow_private: true }),
  };
}

/** Where its messages go, in a line. */
export function whereOf({ mail, ntfy, telegram, webhook, push }: NotificationChannel): string {
  if (push !== undefined) return push.devices.map(({ name }) => name).join(", ");
  if (mail !== undefined) return mail.to;
  if (ntfy !== undefined) return `${ntfy.server}/${ntfy.topic}`;
  if (telegram !== undefined) return telegram.chat;
  return webhook?.url ?? "";
}
