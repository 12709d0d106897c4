// On whose behalf something is done: a token, or without one an address. Shares are fair between requesters.
import type { Caller } from "#core/access/caller.ts";
import { parseAddress } from "#core/net/address.ts";

export interface Requester {
  readonly kind: "token" | "address" | "own work";
  /** The key of its share. */
  readonly key: string;
}

/** What Busbar does by itself. */
export const OWN_WORK: Requester = { kind: "own work", key: "busbar" };

export function requesterOf({ tokenId }: Pick<Caller, "tokenId">, remoteAddress: string): Requester {
  return tokenId === ""
    ? { kind: "address", key: `address ${addressKey(remoteAddress)}` }
    : { kind: "token", key: `token ${tokenId}` };
}

/** One customer's network has 2^64 addresses of IPv6, so they count as one. */
export function addressKey(text: string): string {
  if (!text.includes(":")) return text;
  const address = parseAddress(text);
  if (address === undefined) return "unknown";
  return address.family === 4 ? text.slice(text.lastIndexOf(":") + 1) : `${(address.value >> 64n).toString(16)}::/64`;
}
