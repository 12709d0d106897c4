import type { SendOutcome } from "#core/notification/after-send.ts";
import { type Channel, channelSecretContext } from "#core/notification/channel.ts";
import type { OutgoingMessage } from "#service/ports/message-sender.ts";
import type { Needs } from "#service/ports.ts";

interface Sent extends Pick<OutgoingMessage, "id" | "content" | "queuedAt"> {
  readonly channel: Channel;
}

/** Sends a message with the secret of its channel, once. */
export async function sendToChannel(
  needs: Pick<Needs, "messageSender" | "seal" | "now">,
  { channel, ...message }: Sent,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { sealedSecret, id } = channel;
  let secret: string | undefined;
  try {
    secret = sealedSecret && needs.seal.open(sealedSecret, channelSecretContext(id));
  } catch {
    return { outcome: "refused", error: "the secret of the channel cannot be read; set it anew", isFinal: false };
  }
  return await needs.messageSender.send({ ...message, channel, secret, sentAt: needs.now() }, signal);
}
