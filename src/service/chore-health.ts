// Recurring work that fails again and again must not go unnoticed: records that are never deleted fill the disk.
import type { Troubles } from "#service/troubles.ts";

export interface ChoreHealth {
  succeeded(chore: string): void;
  failed(chore: string, error: unknown): void;
  /** Rounds that failed since the start, by chore. */
  failures(): ReadonlyMap<string, number>;
}

const PART = "chores";
/** One failure may be a restart of the database. */
const REPEATEDLY = 3;

export function createChoreHealth(troubles: Pick<Troubles, "report" | "clear">): ChoreHealth {
  const inRow = new Map<string, number>();
  const failures = new Map<string, number>();
  return {
    succeeded(chore) {
      if (inRow.delete(chore)) troubles.clear(PART, messageOf(chore));
    },
    failed(chore, error) {
      const times = (inRow.get(chore) ?? 0) + 1;
      inRow.set(chore, times);
      failures.set(chore, (failures.get(chore) ?? 0) + 1);
      if (times === REPEATEDLY) troubles.report({ part: PART, message: messageOf(chore) }, { err: error });
    },
    failures: () => failures,
  };
}

function messageOf(chore: string): string {
  return `recurring work fails again and again: ${chore}`;
}
