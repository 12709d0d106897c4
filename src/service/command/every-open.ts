import type { ExecutionStore, WaitingExecution } from "#service/ports/execution-store.ts";

const PAGE = 500;

/** Everything that is open, of one device or of all, read a page at a time. What ends meanwhile may be left out. */
export async function* everyOpen(
  executions: Pick<ExecutionStore, "open">,
  deviceId?: string,
): AsyncGenerator<WaitingExecution> {
  const which = deviceId === undefined ? {} : { deviceId };
  let page = await executions.open({ ...which, limit: PAGE });
  for (;;) {
    yield* page;
    const after = page.at(-1);
    // A page may be short because a row of it cannot be read: only an empty one is the end.
    if (after === undefined) return;
    page = await executions.open({ ...which, after, limit: PAGE });
  }
}
