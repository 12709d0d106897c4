// One POST request. Until it is connected nothing has left; from then on only an answer says what became of it.

import { request as requestTls } from "node:https";
import type { SendOutcome } from "#core/notification/after-send.ts";
import { failureWords } from "#outbound/allowed-addresses.ts";
import { onAnswer } from "#outbound/on-answer.ts";
import { request as requestPlain } from "#tuning/plain-http.ts";
import type { Way } from "./way.ts";

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** At most this much of an answer is read. */
const MAX_ANSWER_BYTES = 16 * 1024;
const LONGEST_PAUSE_S = 3_600;
/** Statuses that say: not this request, at no time. */
const FINAL = new Set([400, 401, 403, 404, 405, 410, 413, 414, 415, 422]);

export async function post(request: Post, way: Way): Promise<SendOutcome> {
  const { status: _, ...outcome } = await postForStatus(request, way);
  return outcome;
}

type Posted = SendOutcome & {
  /** Of an answer that is no yes. */
  readonly status?: number;
};

export function postForStatus({ url, headers, body }: Post, { lookup, signal, ca }: Way): Promise<Posted> {
  const isTls = url.protocol === "https:";
  return new Promise((resolve) => {
    let isConnected = false;
    const fail = (failure: unknown) => {
      const error = failureWords(failure, signal);
      resolve(isConnected ? { outcome: "unknown", error } : { outcome: "refused", error, isFinal: false });
    };
    const options = { method: "POST", headers: withLength(headers, body), agent: false, lookup, signal } as const;
    const sent = (isTls ? requestTls : requestPlain)(url, isTls && ca !== undefined ? { ...options, ca } : options);
    onAnswer(sent, (answer) => {
      resolve(outcomeOf(answer.statusCode ?? 0, answer.headers["retry-after"]));
      let read = 0;
      answer.on("data", (piece: Buffer) => {
        read += piece.length;
        if (read > MAX_ANSWER_BYTES) answer.destroy();
      });
      // The status counts; what follows it does not.
      answer.on("error", () => {});
    });
    sent.on("socket", (socket) => socket.once(isTls ? "secureConnect" : "connect", () => (isConnected = true)));
    sent.on("error", fail);
    sent.end(body);
  });
}

const withLength = (headers: Post["headers"], body: Post["body"]) => ({
  ...headers,
  "Content-Length": String(Buffer.byteLength(body)),
});

function outcomeOf(status: number, retryAfter: string | undefined): Posted {
  if (status >= 200 && status < 300) return { outcome: "taken" };
  const seconds = /^\d{1,6}$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter), LONGEST_PAUSE_S) : undefined;
  const pause = seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 };
  return { status, outcome: "refused", error: `answered ${status}`, isFinal: FINAL.has(status), ...pause };
}
