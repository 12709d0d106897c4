// The lookup key of the token that came last on each connection: clients send the same token with every call. Hashing it anew takes 4 %
// of the processor time of a small read.
import { secretKey } from "./hash-secret.ts";

/** Longer texts are no tokens of ours, and are not kept. */
const MAX_LENGTH = 256;

interface Latest {
  readonly text: string;
  readonly key: string;
}

/** The same as `secretKey` of the text. */
export type ConnectionKeys = (connection: object, text: string) => string;

export function createConnectionKeys(): ConnectionKeys {
  const latest = new WeakMap<object, Latest>();
  return (connection, text) => {
    const known = latest.get(connection);
    if (known !== undefined && isSame(known.text, text)) return known.key;
    const key = secretKey(text);
    if (text.length <= MAX_LENGTH) latest.set(connection, { text, key });
    return key;
  };
}

/** Takes the same time wherever the two differ: behind a proxy, others may send their tokens on the same connection. */
function isSame(known: string, given: string): boolean {
  if (known.length !== given.length) return false;
  let difference = 0;
  for (let at = 0; at < known.length; at++) difference |= known.charCodeAt(at) ^ given.charCodeAt(at);
  return difference === 0;
}
