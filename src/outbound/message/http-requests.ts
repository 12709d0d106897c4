// How each receiver over HTTP wants a message.
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import type { ChannelTarget } from "#core/notification/channel.ts";
import type { MessageItem } from "#core/notification/message.ts";
import { messageText } from "#core/notification/message-text.ts";
import { renderInstant } from "#core/time/instant.ts";
import { signWebhook } from "#outbound/webhook/delivery-wire.ts";
import type { OutgoingMessage } from "#service/ports/message-sender.ts";
import type { Post } from "./post.ts";

type Target<Kind extends ChannelTarget["kind"]> = Extract<ChannelTarget, { kind: Kind }>;

/** ntfy turns a longer text into a file. It counts bytes. */
const NTFY_CHARACTERS = 1_200;
const TELEGRAM_CHARACTERS = 3_800;
const WEBHOOK_CHARACTERS = 20_000;
const NTFY_PRIORITY: Readonly<Record<AlertSeverity, number>> = { info: 3, warning: 4, error: 5 };
const JSON_HEADERS = { "Content-Type": "application/json", "User-Agent": "Busbar-Notification/1" };

/** As JSON to the address of the server: headers could not carry every title. */
export function ntfyRequest(target: Target<"ntfy">, { channel, content, secret }: OutgoingMessage): Post {
  const { title, text, severity } = messageText(content, channel.language, NTFY_CHARACTERS);
  const body = { topic: target.topic, title, message: text, priority: NTFY_PRIORITY[severity] };
  const headers = { ...JSON_HEADERS, ...(secret !== undefined && { Authorization: `Bearer ${secret}` }) };
  return { url: new URL(target.server), headers, body: JSON.stringify(body) };
}

/** Without a parse mode: nothing in a name is taken for a format. */
export function telegramRequest(
  target: Target<"telegram">,
  { channel, content }: OutgoingMessage,
  token: string,
): Post {
  const { title, text } = messageText(content, channel.language, TELEGRAM_CHARACTERS);
  const body = { chat_id: target.chat, text: `${title}\n\n${text}`, link_preview_options: { is_disabled: true } };
  const url = new URL(target.server);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/bot${token}/sendMessage`;
  return { url, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

/** Signed like the deliveries of other webhooks. */
export function webhookRequest(target: Target<"webhook">, message: OutgoingMessage, secret: string): Post {
  const { channel, content, id, queuedAt, sentAt } = message;
  const { title, text, severity } = messageText(content, channel.language, WEBHOOK_CHARACTERS);
  const { kind, site, count, items } = content;
  const body = JSON.stringify({
    ...{ id, kind: "message", message: kind, at: renderInstant(queuedAt), site, severity, title, text, count },
    items: items.map(renderItem),
  });
  const headers = { ...JSON_HEADERS, ...signWebhook({ id, secret, body, sentAt }) };
  return { url: new URL(target.url), headers, body };
}

const renderItem = ({ device, deviceId, alertId, severity, name, text, at }: MessageItem) => ({
  ...{ device: device ?? null, device_id: deviceId ?? null, alert_id: alertId ?? null },
  ...{ severity, name, text: text ?? null, at: renderInstant(at) },
});
