// The keys by which a provider signs. They are kept, and asked for again when one is missing: but a flood of tokens that name wrong keys
// asks the provider once in a while only.
import { cappedFetch } from "./capped-fetch.ts";
import type { ProviderKey, ReadToken } from "./signed-claims.ts";

const KEPT_MS = 3_600_000;
const PAUSE_MS = 30_000;
const MAX_KEYS = 50;

interface ProviderKeys {
  /** Whether one of the keys signed the token. Rejects when the provider does not give its keys. */
  haveSigned(token: ReadToken, address: string): Promise<boolean>;
}

export function createProviderKeys({ now, timeoutMs }: { readonly now: () => number; readonly timeoutMs: number }) {
  let known: { readonly keys: Promise<readonly ProviderKey[]>; readonly askedAt: number } | undefined;

  function ask(address: string): Promise<readonly ProviderKey[]> {
    known = { keys: fetchKeys(address, timeoutMs), askedAt: now() };
    known.keys.catch(() => {});
    return known.keys;
  }

  const isOlder = (ms: number) => known === undefined || now() < known.askedAt || now() - known.askedAt > ms;

  return {
    async haveSigned(token: ReadToken, address: string): Promise<boolean> {
      const isSignedBy = (keys: readonly ProviderKey[]) =>
        keys.some((key) => (token.keyId === undefined || key.kid === token.keyId) && token.isSignedBy(key));
      const keys = known === undefined || isOlder(KEPT_MS) ? ask(address) : known.keys;
      const found = await keys.catch((error: unknown) => {
        // One failure for all that ask in that time.
        if (isOlder(PAUSE_MS)) return ask(address);
        throw error;
      });
      return isSignedBy(found) || (isOlder(PAUSE_MS) && isSignedBy(await ask(address)));
    },
  } satisfies ProviderKeys;
}

async function fetchKeys(address: string, timeoutMs: number): Promise<readonly ProviderKey[]> {
  const answer = await cappedFetch(address, { signal: AbortSignal.timeout(timeoutMs) });
  if (answer.status !== 200) throw new Error(`the keys were answered with ${answer.status}`);
  const { keys } = (await answer.json()) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new Error("the answer has no keys");
  return keys.slice(0, MAX_KEYS).filter((key): key is ProviderKey => typeof key === "object" && key !== null);
}
