// The memory of an ended script is garbage that V8 lets lie for long. It counts until it has been collected: otherwise
// scripts that end and start again would hold more than all of them may.
import type { MemoryAccount } from "./script-memory.ts";

/** So much is collected at once, and less of it a moment later: collecting takes some 10 ms of the thread. */
const WORTH_COLLECTING_BYTES = 16 * 1024 * 1024;
const SOON_MS = 250;

/** `collect` gives the memory of closed states back to the system. */
export function countUntilCollected(account: MemoryAccount, collect: () => void): MemoryAccount {
  let closed: number[] = [];
  let closedBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  /** False when there is nothing to collect. */
  function giveBack(): boolean {
    clearTimeout(timer);
    timer = undefined;
    if (closed.length === 0) return false;
    const collected = closed;
    closed = [];
    closedBytes = 0;
    collect();
    for (const heapBytes of collected) account.close(heapBytes);
    return true;
  }

  return {
    limitBytes: account.limitBytes,
    open: (heapBytes) => account.open(heapBytes) || (giveBack() && account.open(heapBytes)),
    grow: (bytes, heapBytes) => account.grow(bytes, heapBytes) || (giveBack() && account.grow(bytes, heapBytes)),
    close(heapBytes) {
      closed.push(heapBytes);
      closedBytes += heapBytes;
      // Never at once: the caller's stack still holds the state.
      if (closedBytes >= WORTH_COLLECTING_BYTES) setImmediate(giveBack);
      else timer ??= setTimeout(giveBack, SOON_MS);
    },
  };
}
