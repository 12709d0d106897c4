// Messages to people, each by the way of its channel, to allowed addresses only (allowed-addresses.ts).

import { parseHttpAddress } from "#core/net/http-address.ts";
import type { SendOutcome } from "#core/notification/after-send.ts";
import { type ChannelTarget, mailServerUrl } from "#core/notification/channel.ts";
import type { PushSubscription } from "#core/notification/push.ts";
import { createAllowedAddresses } from "#outbound/allowed-addresses.ts";
import type { MessageSender, OutgoingMessage } from "#service/ports/message-sender.ts";
import { ntfyRequest, telegramRequest, webhookRequest } from "./http-requests.ts";
import { post } from "./post.ts";
import { createVapid, problemWithKeys } from "./push-crypto.ts";
import { sendPush } from "./send-push.ts";
import type { AddressSettings, Way } from "./way.ts";

export interface MessageSenderSettings extends AddressSettings {
  /** What the key is made of by which push services know us. */
  readonly vapidSeed: Uint8Array;
  /** Whom they can write to, as a mailto: or https: address. */
  readonly pushContact: string;
  readonly timeoutMs: number;
}

/** A mail server may take its time over a greeting or over a message. */
export const MESSAGE_TIMEOUT_MS = 25_000;

export function createMessageSender(settings: MessageSenderSettings): MessageSender {
  const ways = [false, true].map((allowPrivate) => createAllowedAddresses({ ...settings, allowPrivate }));
  const wayOf = (allowPrivate: boolean) => ways[allowPrivate || settings.allowPrivate ? 1 : 0] as (typeof ways)[number];

  const vapid = createVapid(settings.vapidSeed, settings.pushContact);

  const problemWith: MessageSender["problemWith"] = ({ target, allowPrivate }) =>
    // Each device has an address of its own.
    target.kind === "push" ? undefined : wayOf(allowPrivate).problemWith(addressOf(target));

  function problemWithEndpoint({ endpoint }: PushSubscription): string | undefined {
    const url = parseHttpAddress(endpoint);
    if (typeof url === "string") return `endpoint ${url}`;
    if (url.protocol !== "https:" && !settings.allowPrivate) return "endpoint must be an https:// address";
    const problem = wayOf(false).problemWith(url);
    return problem && `endpoint: ${problem}`;
  }

  return {
    problemWith,
    pushKey: vapid.publicKey,
    problemWithSubscription: (subscription) => problemWithEndpoint(subscription) ?? problemWithKeys(subscription),
    async send(message, stopping) {
      const problem = problemWith(message.channel);
      if (problem !== undefined) return refused(problem);
      const { lookup } = wayOf(message.channel.allowPrivate);
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(settings.timeoutMs)]);
      const way = { lookup, signal, ca: settings.ca };
      const { target } = message.channel;
      if (target.kind === "push")
        return await sendPush(target, message, { way, vapid, problemWith: problemWithEndpoint });
      return await sendBy(target, message, way);
    },
  };
}

const refused = (error: string): SendOutcome => ({ outcome: "refused", error, isFinal: false });

type OtherTarget = Exclude<ChannelTarget, { kind: "push" }>;

function addressOf(target: OtherTarget): URL {
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

async function sendBy(target: OtherTarget, message: OutgoingMessage, way: Way): Promise<SendOutcome> {
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
