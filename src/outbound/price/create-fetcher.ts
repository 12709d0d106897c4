// Fetches prices over HTTP, from allowed addresses only (allowed-addresses.ts). A redirect is not followed: it could lead
// anywhere, and would carry the header along. The whole answer has one deadline, however slowly it comes.
import type { IncomingMessage } from "node:http";
import { request as requestTls } from "node:https";
import { type AddressSettings, createAllowedAddresses, failureWords } from "#outbound/allowed-addresses.ts";
import { onAnswer } from "#outbound/on-answer.ts";
import type { FetchedText, PriceFetcher } from "#service/ports/price-fetcher.ts";
import { request as requestPlain } from "#tuning/plain-http.ts";

export interface FetcherSettings extends AddressSettings {
  readonly timeoutMs: number;
}

/** Shorter than a cloud waits for the answer of a gateway: its people get the reason, too. */
export const FETCHER_TIMEOUT_MS = 8_000;
/** Two days of quarters of an hour take some ten kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export function createFetcher(settings: FetcherSettings): PriceFetcher {
  const { problemWith, lookup } = createAllowedAddresses(settings);
  return {
    problemWith,
    async fetch({ url, header }, stopping) {
      const problem = problemWith(url);
      if (problem !== undefined) return { error: problem };
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(settings.timeoutMs)]);
      const request = url.protocol === "https:" ? requestTls : requestPlain;
      const headers = {
        Accept: "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "Busbar-Prices/1",
        ...(header !== undefined && { [header.name]: header.value }),
      };
      return await new Promise((resolve) => {
        const fail = (error: unknown) => resolve({ error: failureWords(error, signal) });
        try {
          const sent = request(url, { method: "GET", headers, agent: false, lookup, signal });
          onAnswer(sent, (answer) => {
            readAnswer(answer).then(resolve, fail);
          });
          sent.on("error", fail);
          sent.end();
        } catch {
          // Not quoted: the message may have the header in it.
          resolve({ error: "the request cannot be made with this address and header" });
        }
      });
    },
  };
}

async function readAnswer(answer: IncomingMessage): Promise<FetchedText> {
  const problem = answerProblem(answer);
  if (problem !== undefined) {
    answer.on("error", () => {});
    answer.destroy();
    return { error: problem };
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    // Leaving the loop ends the connection.
    if (bytes > MAX_ANSWER_BYTES) return { error: `the answer has more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB` };
    pieces.push(piece);
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces)) };
  } catch {
    return { error: "the answer is not UTF-8 text" };
  }
}

function answerProblem({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (statusCode >= 300 && statusCode < 400) {
    return `answered ${statusCode}: redirects are not followed; enter the address that it leads to`;
  }
  if (statusCode < 200 || statusCode >= 300) return `answered ${statusCode}`;
  const encoding = headers["content-encoding"] ?? "identity";
  return encoding === "identity" ? undefined : "the answer is compressed, though it must not be";
}
