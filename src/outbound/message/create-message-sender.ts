// Messages to people, each by the way of its channel, to allowed addresses only (allowed-addresses.ts).
import type { SendOutcome } from "#core/notification/after-send.ts";
import { mailServerUrl } from "#core/notification/channel.ts";
import { createAllowedAddresses } from "#outbound/allowed-addresses.ts";
import type { MessageSender, OutgoingMessage } from "#service/ports/message-sender.ts";
import { ntfyRequest, telegramRequest, webhookRequest } from "./http-requests.ts";
import { post } from "./post.ts";
import type { AddressSettings, Way } from "./way.ts";

export interface MessageSenderSettings extends AddressSettings {
  readonly timeoutMs: number;
}

/** A mail server may take its time over a greeting or over a message. */
export const MESSAGE_TIMEOUT_MS = 25_000;

export function createMessageSender(settings: MessageSenderSettings): MessageSender {
  const ways = [false, true].map((allowPrivate) => createAllowedAddresses({ ...settings, allowPrivate }));
  const wayOf = (allowPrivate: boolean) => ways[allowPrivate || settings.allowPrivate ? 1 : 0] as (typeof ways)[number];

  const problemWith: MessageSender["problemWith"] = ({ target, allowPrivate }) =>
    wayOf(allowPrivate).problemWith(addressOf(target));

  return {
    problemWith,
    async send(message, stopping) {
      const problem = problemWith(message.channel);
      if (problem !== undefined) return refused(problem);
      const { lookup } = wayOf(message.channel.allowPrivate);
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(settings.timeoutMs)]);
      return await sendBy(message, { lookup, signal, ca: settings.ca });
    },
  };
}

const refused = (error: string): SendOutcome => ({ outcome: "refused", error, isFinal: false });

function addressOf(target: OutgoingMessage["channel"]["target"]): URL {
  switch (target.kind) {
    case "mail":
      return new URL(mailServerUrl(target.host));
    case "webhook":
      return new URL(target.url);
    case "ntfy":
    case "telegram":
      return new URL(target.server);
  }
}

async function sendBy(message: OutgoingMessage, way: Way): Promise<SendOutcome> {
  const { target } = message.channel;
  switch (target.kind) {
    case "mail":
      // Loaded with the first mail.
      return await (await import("./send-mail.ts")).sendMail(target, message, way);
    case "ntfy":
      return await post(ntfyRequest(target, message), way);
    case "telegram":
      if (message.secret === undefined) return refused("the channel has no token");
      return await post(telegramRequest(target, message, message.secret), way);
    case "webhook":
      if (message.secret === undefined) return refused("the channel has no secret to sign with");
      return await post(webhookRequest(target, message, message.secret), way);
  }
}
