import type { ExecutionStore, WaitingExecution, WaitingPage } from "#service/ports/execution-store.ts";

const PAGE = 500;

/** All open executions, of one device or of all, or those that are due, read a page at a time. One that ends meanwhile may be missing. */
export async function* everyOpen(
  executions: Pick<ExecutionStore, "open">,
  which: Pick<WaitingPage, "deviceId" | "dueBefore"> = {},
): AsyncGenerator<WaitingExecution> {
  let page = await executions.open({ ...which, limit: PAGE });
  for (;;) {
    yield* page;
    const after = page.at(-1);
    // A page may be short because one of its rows cannot be read: only an empty page is the end.
    if (after === undefined) return;
    page = await executions.open({ ...which, after, limit: PAGE });
  }
}
