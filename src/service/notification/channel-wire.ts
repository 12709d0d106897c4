import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import { CALENDAR_NAME } from "#core/calendar/site-calendar.ts";
import {
  CHANNEL_KINDS,
  type Channel,
  type ChannelTarget,
  LONGEST_ADDRESS,
  LONGEST_CHANNEL_NAME,
  LONGEST_SECRET,
  LONGEST_TARGET_URL,
  MAIL_SECURITIES,
  MESSAGE_LANGUAGES,
  USUAL_PORT,
} from "#core/notification/channel.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Fields, type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import { pushDeviceSchema, renderPushDevice } from "./push-wire.ts";

const secret = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_SECRET,
      description: `${what} Stored encrypted and never shown. Without it, the stored one stays, if it is for the same server.`,
    }),
  );
const address = (description: string) => Type.String({ minLength: 3, maxLength: LONGEST_ADDRESS, description });
const url = (description: string) => Type.String({ minLength: 1, maxLength: LONGEST_TARGET_URL, description });

const mail = {
  host: Type.String({ minLength: 1, maxLength: 253, description: "The mail server." }),
  from: address("The sender's address."),
  to: address("The address that gets the mails. Several people are several channels."),
};
const mailPort = Type.Integer({ minimum: 1, maximum: 65_535, description: "Default: 465, 587 or 25, by security." });
const mailSecurity = oneOf(MAIL_SECURITIES, {
  description: "tls from the first byte, starttls (default: refused without it), or none.",
});
const username = Type.String({
  minLength: 1,
  maxLength: LONGEST_ADDRESS,
  description: "Where the server asks for it.",
});
const topic = Type.String({
  pattern: "^[-_A-Za-z0-9]{1,64}$",
  description: "Whoever knows a topic of a public server can read it.",
});
const chat = Type.String({
  pattern: "^(-?[0-9]{1,20}|@[A-Za-z0-9_]{3,60})$",
  description: "Id of the chat, or @name of a channel.",
});

const quietSchema = described("QuietHours", "While the calendar is on, messages wait until it is off.", {
  calendar: Type.String({ pattern: CALENDAR_NAME.source, description: "A calendar of the site." }),
  except: Type.Optional(
    oneOf(ALERT_SEVERITIES, { description: "Messages of this severity and graver ones go out anyway." }),
  ),
});

const common = {
  name: name("For people. Unique within the site.", LONGEST_CHANNEL_NAME),
  language: Type.Optional(oneOf(MESSAGE_LANGUAGES, { description: "Of the messages. Default en." })),
  quiet: Type.Optional(quietSchema),
  allow_private: Type.Optional(
    Type.Boolean({
      description:
        "It may reach this machine and private networks, and mail servers on any port. Takes the level system.",
    }),
  ),
} satisfies Fields;

const SHORTEST_SIGNING_SECRET = 16;

export const newChannelSchema = described(
  "NewNotificationChannel",
  "Exactly one of mail, ntfy, telegram, webhook; none for devices that take push.",
  {
    ...common,
    mail: Type.Optional(
      strict("NewMailChannel", {
        ...mail,
        port: Type.Optional(mailPort),
        security: Type.Optional(mailSecurity),
        username: Type.Optional(username),
        password: secret("For the user name."),
      }),
    ),
    ntfy: Type.Optional(
      strict("NewNtfyChannel", {
        server: Type.Optional(url("Default https://ntfy.sh.")),
        topic,
        token: secret("An access token, if the topic asks for one."),
      }),
    ),
    telegram: Type.Optional(
      strict("NewTelegramChannel", {
        server: Type.Optional(url("Of the Bot API. Default https://api.telegram.org.")),
        chat,
        token: secret("Of the bot."),
      }),
    ),
    webhook: Type.Optional(
      strict("NewWebhookChannel", {
        url: url("Takes signed POST requests."),
        secret: Type.Optional(
          Type.String({
            minLength: SHORTEST_SIGNING_SECRET,
            maxLength: LONGEST_SECRET,
            description:
              "What they are signed with. Stored encrypted and never shown. Without it, one is made, or the stored one stays.",
          }),
        ),
      }),
    ),
  },
);

export const channelSchema = described("NotificationChannel", "How somebody is reached. Secrets are not shown.", {
  id: id("Identifier of the channel."),
  site_id: Type.String(),
  name: Type.String(),
  kind: oneOf(CHANNEL_KINDS),
  language: oneOf(MESSAGE_LANGUAGES),
  quiet: nullable(quietSchema),
  allow_private: Type.Boolean(),
  mail: Type.Optional(
    strict("MailChannel", {
      ...mail,
      port: Type.Integer(),
      security: mailSecurity,
      username: nullable(Type.String()),
    }),
  ),
  ntfy: Type.Optional(strict("NtfyChannel", { server: Type.String(), topic: Type.String() })),
  telegram: Type.Optional(strict("TelegramChannel", { server: Type.String(), chat: Type.String() })),
  webhook: Type.Optional(strict("WebhookChannel", { url: Type.String() })),
  push: Type.Optional(
    strict("PushChannel", {
      person: Type.String({ description: "Whose devices they are: id of the account, or of the token." }),
      devices: Type.Array(pushDeviceSchema),
    }),
  ),
  has_secret: Type.Boolean({ description: "A password or token is stored, or what webhooks are signed with." }),
  created_at: timestamp,
  updated_at: timestamp,
});

export const createdChannelSchema = strict("CreatedNotificationChannel", {
  channel: channelSchema,
  secret: nullable(Type.String({ description: "What a webhook's messages are signed with. It is shown this once." })),
});

export const channelTestSchema = strict("NotificationTest", {
  outcome: oneOf(["taken", "refused", "unknown"], {
    description: "taken: the receiver accepted it. unknown: it may have arrived; nobody said so in time.",
  }),
  error: nullable(Type.String({ description: "Why it was not taken." })),
});

export type NewChannelBody = Static<typeof newChannelSchema>;

interface ReadTarget {
  readonly target: ChannelTarget;
  readonly secret: string | undefined;
}

/** What the body names: one target, none, or several. */
export function readTargets({ mail, ntfy, telegram, webhook }: NewChannelBody): readonly ReadTarget[] {
  const targets: ReadTarget[] = [];
  if (mail !== undefined) {
    const { security = "starttls", host, from, to, password } = mail;
    const port = mail.port ?? USUAL_PORT[security];
    targets.push({
      target: { kind: "mail", host, port, security, username: mail.username, from, to },
      secret: password,
    });
  }
  if (ntfy !== undefined) {
    const { server = "https://ntfy.sh", topic, token } = ntfy;
    targets.push({ target: { kind: "ntfy", server, topic }, secret: token });
  }
  if (telegram !== undefined) {
    const { server = "https://api.telegram.org", chat, token } = telegram;
    targets.push({ target: { kind: "telegram", server, chat }, secret: token });
  }
  if (webhook !== undefined) {
    targets.push({ target: { kind: "webhook", url: webhook.url }, secret: webhook.secret });
  }
  return targets;
}

export function renderChannel(channel: Channel): Static<typeof channelSchema> {
  const { target, quiet } = channel;
  return {
    ...{ id: channel.id, site_id: channel.siteId, name: channel.name, kind: target.kind, language: channel.language },
    quiet: quiet === undefined ? null : { calendar: quiet.calendar, ...(quiet.except && { except: quiet.except }) },
    allow_private: channel.allowPrivate,
    ...renderTarget(target),
    has_secret: channel.sealedSecret !== undefined,
    created_at: renderInstant(channel.createdAt),
    updated_at: renderInstant(channel.updatedAt),
  };
}

function renderTarget(target: ChannelTarget) {
  if (target.kind === "push") return { push: { person: target.person, devices: target.devices.map(renderPushDevice) } };
  const { kind, ...fields } = target;
  const shown = kind === "mail" ? { ...fields, username: target.username ?? null } : fields;
  return { [kind]: shown } as Pick<Static<typeof channelSchema>, ChannelTarget["kind"]>;
}
