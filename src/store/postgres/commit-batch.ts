// Group commit: all writes of a batch share one transaction, and none is answered before its commit. They run at the same
// time over one connection, and nobody waits for an answer that is not needed, the commit included. So a batch takes as
// many round trips as its longest write has questions, and one more.
//
// A write that refuses before it has changed anything is answered alone. One that fails later fails the transaction;
// then nothing of the batch has happened, and its writes run again, each in a transaction of its own.
import type { ClientBase, QueryConfig } from "pg";
import { failpoint } from "#store/failpoint.ts";
import { lockNumber } from "./lock-number.ts";
import { type Outcome, outcomeOf, runAll, type Write } from "./run-writes.ts";
import { singleStatement } from "./single-statements.ts";
import { packStatements, type StatementNeeds } from "./statements.ts";
import { isAftermath, isWorthRepeating, serverTrouble } from "./trouble.ts";
import { createTransaction } from "./write-transaction.ts";

/** How often a transaction runs again because another one was in its way. */
const MAX_REPEATS = 5;

export interface Added {
  /** Called after the commit of a transaction that has stored events, or notes for other nodes. */
  readonly onAdded: (what: "events" | "notes") => void;
  /** What the outbox keeps at most, about. */
  readonly eventBytes: number;
}

/** Throws when the server cannot be reached: then it is unknown only for the last commit whether it happened. */
export async function commitBatch(
  client: ClientBase,
  damage: StatementNeeds & Added,
  writes: readonly Write[],
): Promise<readonly Outcome[]> {
  const together = await transact(client, damage, writes);
  if (!("failed" in together)) return together;
  if (writes.length === 1) return [outcomeOf(together.failed)];
  const outcomes: Outcome[] = [];
  for (const write of writes) {
    const alone = await transact(client, damage, [write]);
    outcomes.push(...("failed" in alone ? [outcomeOf(alone.failed)] : alone));
  }
  return outcomes;
}

type Done = readonly Outcome[] | { readonly failed: unknown };

async function transact(client: ClientBase, damage: StatementNeeds & Added, writes: readonly Write[]): Promise<Done> {
  for (let repeats = 0; ; repeats++) {
    const done = await attempt(client, damage, writes);
    if (!("failed" in done) || repeats >= MAX_REPEATS || !isWorthRepeating(done.failed)) return done;
  }
}

/** A write that is a single statement, and alone. The statement is its transaction. */
async function attemptSingle(client: ClientBase, statement: QueryConfig): Promise<Done> {
  failpoint("commit.before");
  try {
    const { rowCount } = await client.query(statement);
    failpoint("commit.after");
    return [{ result: rowCount === 1 }];
  } catch (error) {
    const trouble = serverTrouble(error);
    if (trouble !== undefined) throw trouble;
    return { failed: error };
  }
}

async function attempt(client: ClientBase, damage: StatementNeeds & Added, writes: readonly Write[]): Promise<Done> {
  const [first, ...others] = writes;
  const isAlone = first !== undefined && others.length === 0;
  // Where the rows are on another server than the lock, a single statement would take its lock there, or be refused.
  const single = isAlone && damage.isSpread !== true ? singleStatement(first) : undefined;
  if (single !== undefined) return await attemptSingle(client, { ...single, values: [...single.values] });
  failpoint("commit.before");
  try {
    const added = new Set<"events" | "notes">();
    // Sent together: the server works through them in this order.
    const { query } = packStatements(client);
    const begun: readonly Promise<unknown>[] = [query("BEGIN"), query(lockStatement(writes))];
    for (const one of begun) one.catch(() => {});
    const transaction = createTransaction(client, damage, {
      onEvent: () => added.add("events"),
      eventBytes: damage.eventBytes,
    });
    const running = runAll(transaction, writes, () => added.add("notes"));
    const early = await errorsOf(running.map(({ ready }) => ready));
    if (early.length > 0) throw causeOf([...(await errorsOf([...begun, ...transaction.sent])), ...early]);
    failpoint("commit.inside");
    const outcomes = running.map(({ outcome }) => outcome);
    // If a statement before it has failed, the server undoes everything instead.
    const late = await errorsOf([...begun, ...transaction.sent, query("COMMIT"), ...outcomes]);
    if (late.length > 0) throw causeOf(late);
    failpoint("commit.after");
    for (const what of added) damage.onAdded(what);
    return await Promise.all(outcomes);
  } catch (error) {
    const trouble = serverTrouble(error);
    if (trouble !== undefined) throw trouble;
    await client.query("ROLLBACK");
    return { failed: error };
  }
}

/** Waits for all of them: after the first error others fail because of it. */
async function errorsOf(answers: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(answers);
  return settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
}

function causeOf(errors: readonly unknown[]): unknown {
  const causes = errors.filter((error) => !isAftermath(error));
  return causes.find((error) => serverTrouble(error) !== undefined) ?? causes[0] ?? errors[0];
}

function lockStatement(writes: readonly Write[]): { readonly name: string; readonly text: string; values: unknown[] } {
  const numbers = [...new Set(writes.flatMap(({ keys }) => keys).map(lockNumber))];
  numbers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    name: "lock",
    text: "SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS locks(key)",
    values: [numbers.map(String)],
  };
}
