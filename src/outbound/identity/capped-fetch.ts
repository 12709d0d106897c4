/** No answer of a provider is nearly as long, keys and claims included. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export class LongAnswer extends Error {
  constructor() {
    super(`an answer has more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`);
  }
}

/** `fetch` that reads the whole answer at once, so that the time limit of the call holds for all of it, and no more than fits. */
export async function cappedFetch(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: "manual" });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    // Leaving the loop ends the connection.
    if (bytes > MAX_ANSWER_BYTES) throw new LongAnswer();
    pieces.push(piece);
  }
  const { status, headers } = answer;
  return new Response(bytes === 0 ? null : Buffer.concat(pieces), { status, headers });
}
