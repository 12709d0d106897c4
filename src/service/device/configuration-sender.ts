// Behind an outside broker every node reaches every device, so several of them could send a device the same configuration.
// The one that claims the reason for sending it does so.
import type { Instant } from "#core/time/instant.ts";
import type { After } from "#service/deadlines.ts";
import type { Claim, Nodes } from "#service/ports/nodes.ts";

export interface ConfigurationSender {
  /** Sends, unless another node or another call does so for the same reason. */
  once(reason: string, send: () => Promise<void>): Promise<void>;
}

/** All nodes hear of a reason within this time, unless they cannot reach the database. */
const KEPT_MS = 30_000;
/** Each is a lock in the database. */
const MAX_KEPT = 500;

export const writtenAt = (deviceId: string, at: Instant): string => `configuration ${deviceId} ${at}`;
export const returned = (deviceId: string): string => `configuration ${deviceId} returned`;

export function createConfigurationSender({
  nodes,
  after,
}: {
  readonly nodes: Pick<Nodes, "isShared" | "isCurrent" | "claim">;
  readonly after: After;
}): ConfigurationSender {
  const kept = new Map<string, () => void>();

  function keep(reason: string, claim: Claim): void {
    const callOff = after(KEPT_MS, () => end());
    const end = () => {
      callOff();
      kept.delete(reason);
      void claim.release();
    };
    kept.set(reason, end);
    for (const endOldest of kept.values()) {
      if (kept.size <= MAX_KEPT) return;
      endOldest();
    }
  }

  return {
    async once(reason, send) {
      if (!nodes.isShared) return await send();
      const claim = await nodes.claim(reason);
      if (claim === undefined) {
        // A node that cannot claim anything now rather sends it twice than not at all.
        if (!nodes.isCurrent()) await send();
        return;
      }
      try {
        await send();
      } catch (error) {
        await claim.release();
        throw error;
      }
      keep(reason, claim);
    },
  };
}
