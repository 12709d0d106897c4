// Tokens of the cloud also work on the gateway, even while the line is cut. They stop a while after the last connection,
// because the gateway cannot learn that a token was revoked meanwhile.
import type { Instant } from "#core/time/instant.ts";
import type { Needs } from "#service/ports.ts";

export interface OfflineAccess {
  /** Reads when the cloud was last connected. */
  load(): Promise<void>;
  /** Whether tokens of the cloud are accepted now. */
  isOpen(): boolean;
  /** While a connection lasts, from when the cloud has sent the present tokens. */
  follow(signal: AbortSignal): Promise<void>;
}

export interface OfflineAccessNeeds extends Pick<Needs, "uplinks" | "now"> {
  /** Milliseconds, by a clock that nobody sets. */
  readonly elapsed: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** After a crash, access ends at most so much earlier. */
const NOTE_EVERY_MS = 60_000;

export function createOfflineAccess(needs: OfflineAccessNeeds, lifetimeMs: number): OfflineAccess {
  let isConnected = false;
  let contactAt: Instant | undefined;
  /** By the clock that nobody sets: a wall clock that is set back does not lengthen the time. */
  let openUntil = 0;
  const note = async () => {
    contactAt = needs.now();
    openUntil = needs.elapsed() + lifetimeMs;
    await needs.uplinks.noteContact(contactAt);
  };
  return {
    async load() {
      contactAt = (await needs.uplinks.get())?.contactAt;
      openUntil = needs.elapsed() + lifetimeMs;
    },
    isOpen: () =>
      isConnected || (contactAt !== undefined && needs.now() < contactAt + lifetimeMs && needs.elapsed() < openUntil),
    async follow(signal) {
      isConnected = true;
      try {
        while (!signal.aborted) {
          await note();
          await needs.pause(NOTE_EVERY_MS, signal);
        }
      } finally {
        isConnected = false;
        await note();
      }
    },
  };
}
