// On whose behalf something is done: a token, or without one an address. Shares are fair between requesters.
import type { Caller } from "#core/access/caller.ts";
import { addressBlock } from "#core/net/address-block.ts";

export interface Requester {
  readonly kind: "token" | "address" | "device" | "own work";
  /** The key of its share. */
  readonly key: string;
}

/** Work that Busbar does on its own behalf. */
export const OWN_WORK: Requester = { kind: "own work", key: "busbar" };

/** What a device causes by its messages. */
export function deviceRequester(deviceId: string): Requester {
  return { kind: "device", key: `device ${deviceId}` };
}

export function requesterOf({ tokenId }: Pick<Caller, "tokenId">, remoteAddress: string): Requester {
  return tokenId === ""
    ? { kind: "address", key: `address ${addressBlock(remoteAddress)}` }
    : { kind: "token", key: `token ${tokenId}` };
}
