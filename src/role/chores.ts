// Runs the recurring work of all subjects in the background.
import { type RepeatNeeds, repeat } from "#role/repeat.ts";
import type { SharedChore } from "#role/subject.ts";
import type { Nodes } from "#service/ports/nodes.ts";

interface ChoreNeeds extends RepeatNeeds {
  readonly nodes: Pick<Nodes, "claim">;
}

export function startChores(needs: ChoreNeeds, chores: readonly SharedChore[]): { stop(): Promise<void> } {
  const running = chores.map((chore) => {
    const { name, task, isShared = false } = chore;
    return repeat(
      needs,
      isShared ? { ...chore, task: (stopping) => asOne(needs.nodes, name, () => task(stopping)) } : chore,
    );
  });
  return {
    async stop() {
      await Promise.all(running.map((chore) => chore.stop()));
    },
  };
}

/** Leaves it to another node that does it now. */
async function asOne(nodes: Pick<Nodes, "claim">, name: string, task: () => Promise<void>): Promise<void> {
  const claim = await nodes.claim(`chore ${name}`);
  if (claim === undefined) return;
  try {
    await task();
  } finally {
    await claim.release();
  }
}
