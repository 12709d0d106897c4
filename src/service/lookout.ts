// Work that waits in the records: it is looked at when something may have changed, and again when the next of it is due. It is never
// looked at twice at once, and what comes meanwhile is looked at afterwards.
import type { Background } from "#service/background.ts";
import type { After } from "#service/deadlines.ts";

interface Lookout {
  /** Something may have changed. */
  wake(): void;
  /** Instead of the wake before. */
  wakeAfter(ms: number): void;
  stop(): void;
}

interface LookoutNeeds {
  readonly background: Background;
  readonly after: After;
}

interface Work {
  /** For the log. */
  readonly name: string;
  readonly look: () => Promise<void>;
  /** Other nodes change the records, too. */
  readonly longestWaitMs: number;
}

/** The pause after trouble with the records. */
export const AGAIN_MS = 5_000;

export function createLookout(needs: LookoutNeeds, { name, look, longestWaitMs }: Work): Lookout {
  let isStopped = false;
  let isLooking = false;
  let lookAgain = false;
  let callOff: (() => void) | undefined;

  function wake(): void {
    lookAgain = true;
    if (isLooking || isStopped) return;
    isLooking = true;
    needs.background.run(name, async () => {
      try {
        while (lookAgain && !isStopped) {
          lookAgain = false;
          await look();
        }
      } catch (error) {
        wakeAfter(AGAIN_MS);
        throw error;
      } finally {
        isLooking = false;
      }
    });
  }

  function wakeAfter(ms: number): void {
    callOff?.();
    if (!isStopped) callOff = needs.after(Math.min(Math.max(ms, 0), longestWaitMs), wake);
  }

  return {
    wake,
    wakeAfter,
    stop() {
      isStopped = true;
      callOff?.();
    },
  };
}
