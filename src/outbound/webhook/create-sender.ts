// Webhooks over HTTP, to allowed addresses only (allowed-addresses.ts). A redirect counts as a failure, like any other
// answer without success.
import { request as requestTls } from "node:https";
import type { LookupFunction } from "node:net";
import { type AddressSettings, createAllowedAddresses, failureWords } from "#outbound/allowed-addresses.ts";
import { onAnswer } from "#outbound/on-answer.ts";
import type { OutgoingDelivery, SendResult, WebhookSender } from "#service/ports/webhook-sender.ts";
import { request as requestPlain } from "#tuning/plain-http.ts";
import { renderDelivery } from "./delivery-wire.ts";

export interface SenderSettings extends AddressSettings {
  readonly timeoutMs: number;
}

export const SENDER_TIMEOUT_MS = 10_000;
/** At most this much of an answer is read. Nobody uses it. */
const MAX_ANSWER_BYTES = 16 * 1024;

export function createSender(settings: SenderSettings): WebhookSender {
  const { problemWith, lookup } = createAllowedAddresses(settings);
  return {
    problemWith,
    async send(outgoing, signal) {
      const url = new URL(outgoing.url);
      const problem = problemWith(url);
      if (problem !== undefined) return { status: undefined, error: problem };
      return await post(url, outgoing, {
        lookup,
        signal: AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs)]),
      });
    },
  };
}

interface Connection {
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
}

function post(url: URL, outgoing: OutgoingDelivery, { lookup: guarded, signal }: Connection): Promise<SendResult> {
  const { body, headers } = renderDelivery(outgoing);
  const request = url.protocol === "https:" ? requestTls : requestPlain;
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ status: undefined, error: failureWords(error, signal) });
    const sent = request(url, { method: "POST", headers, agent: false, lookup: guarded, signal });
    onAnswer(sent, (answer) => {
      const status = answer.statusCode ?? 0;
      resolve({ status, error: status >= 200 && status < 300 ? undefined : `answered ${status}` });
      let read = 0;
      answer.on("data", (piece: Buffer) => {
        read += piece.length;
        if (read > MAX_ANSWER_BYTES) answer.destroy();
      });
      // The answer counts; what follows it does not.
      answer.on("error", () => {});
    });
    sent.on("error", fail);
    sent.end(body);
  });
}
