// Gateways that come or go make the node read and note a number of records. When all of them come back at once, only so many do
// that at the same time, and the others wait: otherwise their reads fill the queue of the database, and those who sign in
// behind them wait until their patience is over, try again, and make the queue longer. No turn waits for a gateway.
import type { ShareLimits } from "#core/share/fair-share.ts";
import type { Shares } from "#core/share/shares.ts";

export interface LinkTurns {
  /** Does the work when it is its turn. */
  run<Result>(gatewayId: string, work: () => Promise<Result>): Promise<Result>;
}

/** A connection waits for one turn at a time, so the number of connections bounds how many wait. */
const LIMITS: ShareLimits = { slots: 16, slotsPerKey: 4, waiting: 1_000_000, waitingPerKey: 1_000 };

export function createLinkTurns(shares: Pick<Shares, "open">, limits = LIMITS): LinkTurns {
  const share = shares.open("gateway_turns", limits);
  return {
    async run(gatewayId, work) {
      const leave = await share.enter(gatewayId);
      try {
        return await work();
      } finally {
        leave?.();
      }
    },
  };
}
