// Every share is listed in one place: /metrics shows the list, and docs/limits.md explains it.
import { createFairShare, type FairShare, type ShareLimits } from "./fair-share.ts";

/** One share, as the list shows it. */
export interface ShareUse {
  /** How many are inside or being served. */
  readonly inside: number;
  readonly waiting: number;
  readonly refused: number;
}

export interface Shares {
  /** A share of places. A name is given once; snake case, as in the metrics. */
  open(name: string, limits: ShareLimits): FairShare;
  /** Lists a share of another kind. */
  watch<Share extends ShareUse>(name: string, share: Share): Share;
  list(): Iterable<readonly [name: string, use: ShareUse]>;
}

export function createShares(): Shares {
  const shares = new Map<string, ShareUse>();
  function watch<Share extends ShareUse>(name: string, share: Share): Share {
    if (shares.has(name)) throw new Error(`there are two shares named ${name}`);
    shares.set(name, share);
    return share;
  }
  return {
    open: (name, limits) => watch(name, createFairShare(limits)),
    watch,
    list: () => shares,
  };
}
