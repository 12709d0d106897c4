// Webhooks over HTTP, to public internet addresses only: otherwise anybody who may register a webhook could make this
// machine talk to its neighbours. The check happens in the lookup of the connection itself, so the checked address is
// the one that is connected to, and a name that resolves differently the second time gains nothing. A redirect counts
// as a failure, like any other answer without success.
import { type LookupAddress, lookup } from "node:dns";
import { request as requestTls } from "node:https";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "#core/net/address-kind.ts";
import { connectionWords } from "#core/net/connection-words.ts";
import { literalAddress } from "#outbound/literal-address.ts";
import type { OutgoingDelivery, SendResult, WebhookSender } from "#service/ports/webhook-sender.ts";
import { request as requestPlain } from "#tuning/plain-http.ts";
import { renderDelivery } from "./delivery-wire.ts";

export interface SenderSettings {
  /** Also addresses of this machine and of private networks. */
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  /** Asked instead of the system, in tests. */
  readonly lookUp?: typeof lookup;
}

export const SENDER_TIMEOUT_MS = 10_000;
/** At most this much of an answer is read. Nobody uses it. */
const MAX_ANSWER_BYTES = 16 * 1024;
const PRIVATE = "the address is not a public one";
class PrivateAddress extends Error {}

export function createSender(settings: SenderSettings): WebhookSender {
  const guardedLookup = createLookup(settings);
  return {
    problemWith(url) {
      const address = literalAddress(url);
      if (settings.allowPrivate || address === undefined || isPublicAddress(address)) return undefined;
      return PRIVATE;
    },
    async send(outgoing, signal) {
      const url = new URL(outgoing.url);
      const problem = this.problemWith(url);
      if (problem !== undefined) return { status: undefined, error: problem };
      return await post(url, outgoing, {
        lookup: guardedLookup,
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
    const fail = (error: unknown) => resolve({ status: undefined, error: describe(error, signal) });
    const sent = request(url, { method: "POST", headers, agent: false, lookup: guarded, signal }, (answer) => {
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

/** Looks a name up and returns allowed addresses only, so that nothing else can be connected to. */
function createLookup({ allowPrivate, lookUp = lookup }: SenderSettings): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const allowed = addresses.filter(({ address }) => allowPrivate || isPublicAddress(address));
      const [first] = allowed;
      if (first === undefined) return callback(new PrivateAddress(PRIVATE), "");
      if (options.all === true) return (callback as (error: null, addresses: LookupAddress[]) => void)(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}

function describe(error: unknown, signal: AbortSignal): string {
  if (signal.aborted)
    return signal.reason instanceof DOMException && signal.reason.name === "TimeoutError"
      ? "no answer in time"
      : "broken off: the service stops";
  return error instanceof PrivateAddress ? error.message : connectionWords(error);
}
