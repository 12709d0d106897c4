// What the memory of one script may take: its own limit, and that of all scripts together.
import { FIXED_BYTES, NO_MEMORY, StateGone } from "./lua-wasm.ts";
import type { MemoryAccount } from "./script-memory.ts";

interface HeapLimits {
  readonly memoryBytes: number;
  /** What all scripts hold together; undefined where nobody counts it. */
  readonly account?: MemoryAccount | undefined;
}

export interface ScriptHeap {
  mayGrow(bytes: number, size: number): boolean;
  /** Counts what the state begins with. Throws where all scripts together hold too much. */
  open(bytes: number): void;
  /** An error's text, with the limit where it is about memory: Lua does not know whose memory is used up. */
  explained(text: string): string;
  /** How often more memory was refused to this script, because it has its own share. */
  refusals(): number;
  /** Its memory no longer counts. */
  close(): void;
}

export function createScriptHeap({ memoryBytes, account }: HeapLimits): ScriptHeap {
  /** Bytes of the heap that the account has counted; 0 before that and after the end. */
  let counted = 0;
  /** Memory was refused because all scripts together hold too much. */
  let isRefused = false;
  let refusals = 0;
  return {
    mayGrow(bytes, size) {
      if (size > memoryBytes + FIXED_BYTES) {
        refusals += 1;
        return false;
      }
      if (counted === 0 || account === undefined) return true;
      if (!account.grow(bytes, counted + bytes)) {
        isRefused = true;
        return false;
      }
      counted += bytes;
      return true;
    },
    open(bytes) {
      if (account === undefined) return;
      if (!account.open(bytes)) throw new StateGone(fullWords(account));
      counted = bytes;
    },
    explained(text) {
      if (text !== NO_MEMORY) return text;
      if (isRefused && account) return fullWords(account);
      return `${NO_MEMORY}: a script may hold ${mebibytes(memoryBytes)} MiB`;
    },
    refusals: () => refusals,
    close() {
      if (counted > 0) account?.close(counted);
      counted = 0;
    },
  };
}

function fullWords({ limitBytes }: MemoryAccount): string {
  return `${NO_MEMORY}: all scripts together may hold ${mebibytes(limitBytes)} MiB (the setting lua.memory_mb)`;
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1_048_576);
}
