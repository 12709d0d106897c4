// Decides what may be written now. On a full disk commands go on from a reserve, and so does what only deletes or
// revokes; everything else is refused until there is room again. Once a database file was deleted or replaced nothing is written, because it would be lost with
// the process.
import { statSync } from "node:fs";
import { AppError, refuse } from "#core/app-error.ts";
import type { DiskReserve } from "./disk-reserve.ts";

export interface StorageGate {
  /** Why a write must not be made now; undefined when it may. */
  refusal(fromReserve: boolean): AppError | undefined;
  /** Called after a write failed. Returns whether it is worth trying again. */
  noteFailure(error: unknown): boolean;
  /** Called before the files are opened, which takes a little room even to read. */
  makeRoom(): void;
  /** Checks the disk and the files; to be called about once a second. */
  look(): Promise<void>;
}

interface GateNeeds {
  readonly reserve: DiskReserve;
  /** Files that stay the same as long as they are open. */
  readonly files: readonly string[];
  readonly onState: (state: GateState) => void;
}

export type GateState = "well" | "full" | "moved";

/** With less free space than this the next transaction may fail. */
const SCARCE_BYTES = 512 * 1024;
const ROOM_TO_OPEN = 1024 * 1024;

export function createStorageGate({ reserve, files, onState }: GateNeeds): StorageGate {
  const known = new Map<string, string>();
  let state: GateState = "well";

  function become(next: GateState): void {
    if (next === state) return;
    state = next;
    onState(next);
  }

  /** Whether every file that was seen is still the one that was opened. A log appears with the first write. */
  function areInPlace(): boolean {
    let isSame = true;
    for (const file of files) {
      const found = statSync(file, { throwIfNoEntry: false });
      const now = found && `${found.dev} ${found.ino}`;
      const before = known.get(file);
      if (before === undefined && now !== undefined) known.set(file, now);
      else if (before !== now) isSame = false;
    }
    return isSame;
  }

  return {
    refusal(fromReserve) {
      if (state === "moved") {
        return refuse(
          "storage_unavailable",
          "a database file was deleted or replaced; nothing is stored until a restart",
        );
      }
      if (state === "full" && !fromReserve) {
        return refuse("storage_full", "the disk is full; what is left is kept for commands, deletions and revocations");
      }
      return undefined;
    },
    makeRoom() {
      if (reserve.free() >= ROOM_TO_OPEN) return;
      become("full");
      reserve.release("opening");
    },
    noteFailure(error) {
      if (!(error instanceof AppError && error.code === "storage_full")) return false;
      if (state === "well") become("full");
      return reserve.release("commands");
    },
    async look() {
      if (!areInPlace()) return become("moved");
      if (state === "moved") become("well");
      if (reserve.free() < SCARCE_BYTES) {
        become("full");
        return;
      }
      let grown = await reserve.grow();
      while (state === "full" && grown === "grown") grown = await reserve.grow();
      if (grown === "whole") become("well");
    },
  };
}
