// A message to all devices of a person. They are one receiver: whoever has read it on one of them has been told.
import type { SendOutcome } from "#core/notification/after-send.ts";
import type { PushChannel } from "#core/notification/channel.ts";
import { messageText } from "#core/notification/message-text.ts";
import { type PushSubscription, parseSubscriptions, screenOf } from "#core/notification/push.ts";
import type { OutgoingMessage } from "#service/ports/message-sender.ts";
import { postForStatus } from "./post.ts";
import { encryptPush, MOST_PUSH_BYTES, type Vapid } from "./push-crypto.ts";
import type { Way } from "./way.ts";

/** A phone shows no more. */
const MOST_CHARACTERS = 700;
/** As long as the message is worth something: after this it is not delivered late. */
const KEPT_SECONDS = 86_400;
const GONE = new Set([404, 410]);

interface Ways {
  readonly way: Way;
  readonly vapid: Vapid;
  /** Why a device may not be reached, as far as that is known. */
  readonly problemWith: (subscription: PushSubscription) => string | undefined;
}

export async function sendPush(
  target: PushChannel["target"],
  message: OutgoingMessage,
  ways: Ways,
): Promise<SendOutcome> {
  const subscriptions = message.secret === undefined ? new Map() : parseSubscriptions(message.secret);
  const devices = target.devices.flatMap(({ id }) => {
    const subscription = subscriptions.get(id);
    return subscription === undefined ? [] : [{ id, subscription }];
  });
  if (devices.length === 0) return { outcome: "refused", error: "no device takes messages any more", isFinal: true };
  const text = pushText(message);
  const sent = await Promise.all(
    devices.map(async ({ id, subscription }) => ({ id, ...(await sendTo(subscription, { text, message, ...ways })) })),
  );
  const gone = sent.filter(({ outcome, status }) => outcome === "refused" && GONE.has(status ?? 0)).map(({ id }) => id);
  return { ...together(sent), ...(gone.length > 0 && { gone }) };
}

/** Told is who was told on one device. Otherwise the message is tried again, and devices show the same one once. */
function together(sent: readonly Sent[]): SendOutcome {
  if (sent.some(({ outcome }) => outcome === "taken")) return { outcome: "taken" };
  const unknown = sent.find(({ outcome }) => outcome === "unknown");
  if (unknown?.outcome === "unknown") return { outcome: "unknown", error: unknown.error };
  const refused = sent.filter((one) => one.outcome === "refused");
  const retryAfterMs = Math.max(0, ...refused.map((one) => one.retryAfterMs ?? 0));
  return {
    outcome: "refused",
    error: refused[0]?.error ?? "not sent",
    isFinal: refused.every(({ isFinal }) => isFinal),
    ...(retryAfterMs > 0 && { retryAfterMs }),
  };
}

type Sent = SendOutcome & { readonly status?: number | undefined };

async function sendTo(
  subscription: PushSubscription,
  { text, message, way, vapid, problemWith }: Ways & { readonly text: Buffer; readonly message: OutgoingMessage },
): Promise<Sent> {
  const problem = problemWith(subscription);
  if (problem !== undefined) return { outcome: "refused", error: problem, isFinal: false };
  const url = new URL(subscription.endpoint);
  const isUrgent = message.content.items.some(({ severity }) => severity !== "info");
  const headers = {
    ...{ "Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm", TTL: String(KEPT_SECONDS) },
    ...{ Urgency: isUrgent ? "high" : "normal", "User-Agent": "Busbar-Notification/1" },
    // A repetition replaces what the push service still keeps.
    Topic: message.id.replaceAll("-", "").slice(0, 32),
    Authorization: vapid.authorization(url, message.sentAt),
  };
  return await postForStatus({ url, headers, body: encryptPush(text, subscription) }, way);
}

function pushText({ channel, content, id, queuedAt }: OutgoingMessage): Buffer {
  for (let longest = MOST_CHARACTERS; ; longest = Math.floor(longest / 2)) {
    const { title, text, severity } = messageText(content, channel.language, longest);
    const shown = {
      id,
      kind: content.kind,
      severity,
      title,
      text,
      at: queuedAt,
      open: screenOf(content, channel.siteId),
    };
    const bytes = Buffer.from(JSON.stringify(shown));
    if (bytes.length <= MOST_PUSH_BYTES || longest < 2) return bytes;
  }
}
