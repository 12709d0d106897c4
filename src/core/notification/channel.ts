// A channel: how somebody is reached. A mail address, a topic of ntfy, a chat of Telegram, or an address that takes POST requests.
import type { AccessLevel } from "#core/access/level.ts";
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";
import type { PushDeviceName } from "./push.ts";

export const CHANNEL_KINDS = ["mail", "ntfy", "telegram", "webhook", "push"] as const;

export const MAIL_SECURITIES = ["tls", "starttls", "none"] as const;
type MailSecurity = (typeof MAIL_SECURITIES)[number];

/** Where messages go. What proves that we may send there is kept apart, sealed. */
export type ChannelTarget =
  | {
      readonly kind: "mail";
      readonly host: string;
      readonly port: number;
      readonly security: MailSecurity;
      readonly username: string | undefined;
      readonly from: string;
      /** One address: a mail to several could reach some of them only, and nobody could say whom it has to be repeated to. */
      readonly to: string;
    }
  | { readonly kind: "ntfy"; readonly server: string; readonly topic: string }
  | { readonly kind: "telegram"; readonly server: string; readonly chat: string }
  | { readonly kind: "webhook"; readonly url: string }
  | {
      readonly kind: "push";
      /** Whose devices they are: id of the account, or of the token of somebody without one. */
      readonly person: string;
      readonly devices: readonly PushDeviceName[];
    };

/** While this calendar of the site is on, only the gravest messages go out; the others wait until it is off. */
export interface QuietHours {
  readonly calendar: string;
  /** Messages of this severity and graver ones go out anyway. Undefined: none. */
  readonly except: AlertSeverity | undefined;
}

export const MESSAGE_LANGUAGES = ["en", "de"] as const;
export type MessageLanguage = (typeof MESSAGE_LANGUAGES)[number];

export interface Channel {
  readonly id: string;
  readonly siteId: string;
  readonly name: string;
  readonly target: ChannelTarget;
  /** A password, a token, what webhooks are signed with, or how devices are reached. */
  readonly sealedSecret: Uint8Array | undefined;
  readonly language: MessageLanguage;
  readonly quiet: QuietHours | undefined;
  /** The operator lets this channel reach this machine and private networks. */
  readonly allowPrivate: boolean;
  /** It gets what the token that made it may read. */
  readonly level: AccessLevel;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The devices of a person. */
export type PushChannel = Channel & { readonly target: Extract<ChannelTarget, { kind: "push" }> };

/** Of a site. */
export const MOST_CHANNELS = 50;
export const LONGEST_CHANNEL_NAME = 100;
export const LONGEST_ADDRESS = 254;
export const LONGEST_TARGET_URL = 2_000;
export const LONGEST_SECRET = 1_000;

/** Ports that mail servers listen on. An operator may let a channel use others. */
export const MAIL_PORTS: readonly number[] = [25, 465, 587, 2525];
export const USUAL_PORT: Readonly<Record<MailSecurity, number>> = { tls: 465, starttls: 587, none: 25 };

/** Names and addresses are read as those of other servers. */
export const mailServerUrl = (host: string): string => `http://${host.includes(":") ? `[${host}]` : host}/`;

/** Binds a sealed secret to its channel. */
export const channelSecretContext = (channelId: string): string => `notification channel ${channelId}`;

/** The secret goes there and nowhere else: another server, or another account, takes another secret. */
export function secretBelongsTo(target: ChannelTarget): string {
  switch (target.kind) {
    case "mail":
      return `mail ${target.host} ${target.username ?? ""}`;
    case "ntfy":
    case "telegram":
      return `${target.kind} ${new URL(target.server).origin}`;
    case "webhook":
      // It is not sent: it signs.
      return "webhook";
    case "push":
      return "push";
  }
}
