// The HTTP thread's end of the writer: hands writes over in the order of the calls, and resolves each one after its
// commit.
import { Worker } from "node:worker_threads";
import { AppError, refuse } from "#core/app-error.ts";
import type { Execution } from "#core/command/execution.ts";
import { executionEvent } from "#core/event/event.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { tryPost, tryPostAll } from "#core/thread/try-post.ts";
import type { StoredEvent } from "#service/ports/event-outbox.ts";
import type { AddedEvent } from "#store/database.ts";
import type { WriteHints, WriteInput, WriteResult, Writer } from "#store/records/writer.ts";
import type { Writes } from "#store/records/writes.ts";
import { THREAD_OPTIONS } from "#tuning/thread-options.ts";
import type { Ready, WriteAnswer, WriteRequest } from "./commit-batch.ts";

/** The writer of this process, which knows the events of each write. */
export interface LocalWriter extends Writer {
  /** The writes that go on while the disk is full. */
  readonly fromReserve: ReadonlySet<keyof Writes>;
  /**
   * Calls the listener with the events of each write, in the order of the commits and before the write resolves. Returns
   * the function that unsubscribes.
   */
  watchEvents(listener: (event: StoredEvent) => void): () => void;
}

interface Waiting {
  readonly bytes: number;
  readonly changed: ((result: unknown, place: number) => Execution | undefined) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const MAX_WAITING = 20_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** `onFault` is called when the writing thread ends by itself; the caller should then stop the process. */
export async function openWriter(
  file: string,
  onFault: (error: Error) => void,
  worker = new Worker(new URL("./writer-worker.ts", import.meta.url), {
    ...THREAD_OPTIONS,
    workerData: { file },
    name: "records writer",
  }),
): Promise<LocalWriter> {
  const { fromReserve } = await new Promise<Ready>((resolve, reject) => {
    let failure = new Error("the writing thread ended before it was ready");
    worker.once("message", resolve);
    // An error arrives from a thread without its class, so the start reports it as a plain error.
    worker.once("error", (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      failure = new Error(`the records cannot be opened: ${reason}`, { cause: error });
    });
    // Only now: until the thread has ended, it may hold the file.
    worker.once("exit", () => reject(failure));
  });

  const waiting = new Map<number, Waiting>();
  const budget = createByteBudget("records_writes", MAX_WAITING_BYTES);
  let outgoing: WriteRequest[] = [];
  let lastId = 0;
  let closed: Promise<void> | undefined;
  let ended = false;
  const exit = Promise.withResolvers<void>();
  const watchers = new Set<(event: StoredEvent) => void>();

  worker.removeAllListeners("error");
  worker.removeAllListeners("exit");
  worker.on("message", (answers: readonly WriteAnswer[]) => answers.forEach(settle));
  worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => {
    end(new Error("the writing thread ended"));
    exit.resolve();
  });

  function settle(answer: WriteAnswer): void {
    const { resolve, reject, changed, bytes = 0 } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    budget.give(bytes);
    if ("refusals" in answer) {
      const refused = new AppError(answer.refusals);
      refused.cause = answer.cause;
      reject?.(refused);
    } else if ("fault" in answer) reject?.(new Error(`a write failed: ${answer.fault}`));
    else {
      for (const [place, event] of answer.events?.entries() ?? []) announce(event, changed?.(answer.result, place));
      resolve?.(answer.result);
    }
  }

  function announce(added: AddedEvent, changed: Execution | undefined): void {
    const event = typeof added === "number" ? changed && { ...executionEvent(changed), position: added } : added;
    if (event !== undefined) for (const notify of watchers) notify(event);
  }

  function end(error: Error): void {
    if (ended) return;
    ended = true;
    for (const { reject } of waiting.values())
      reject(refuse("storage_unavailable", "the records cannot be written now"));
    for (const { bytes } of waiting.values()) budget.give(bytes);
    waiting.clear();
    if (closed === undefined) onFault(error);
  }

  function flush(): void {
    if (!ended) tryPostAll(worker, outgoing, ({ id }, { message }) => settle({ id, fault: message }));
    outgoing = [];
  }

  return {
    fromReserve: new Set(fromReserve),
    run<Name extends keyof Writes>(name: Name, input: WriteInput<Name>, hints: WriteHints<Name> = {}) {
      const { bytes = approximateBytes(input), changed } = hints;
      if (ended || closed !== undefined) {
        return Promise.reject(refuse("storage_unavailable", "the records are closed"));
      }
      if (waiting.size >= MAX_WAITING) return Promise.reject(refuse("overloaded", "too many writes wait for the disk"));
      if (!budget.take(bytes)) return Promise.reject(refuse("overloaded", "too many bytes wait for the disk"));
      const id = ++lastId;
      // One message per turn of the event loop: writes of one turn travel together and are committed together.
      if (outgoing.push({ id, name, input }) === 1) setImmediate(flush);
      return new Promise<WriteResult<Name>>((resolve, reject) => {
        waiting.set(id, { bytes, changed, resolve, reject } as Waiting);
      });
    },
    watchEvents(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    buffer: budget,
    close() {
      if (closed === undefined) {
        if (outgoing.length > 0) flush();
        if (!ended) tryPost(worker, "close");
        closed = exit.promise;
      }
      return closed;
    },
  };
}
