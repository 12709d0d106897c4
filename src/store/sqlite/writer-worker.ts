// The one thread that writes the records. Everything that has arrived meanwhile becomes the next batch: the slower the
// disk, the more writes share one fsync.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { tryPost, tryPostAll } from "#core/thread/try-post.ts";
import { namesFromReserve } from "#store/records/writes.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { commitBatch, type Ready, refuseBatch, type WriteAnswer, type WriteRequest } from "./commit-batch.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { createRecordWriter, type RecordWriter } from "./record-writer.ts";

const MAX_BATCH = 2_000;

const port: MessagePort = parentPort ?? fail("writer-worker.ts runs only as a worker");
const { file } = workerData as { readonly file: string };
let database: Connection | undefined = new Connection(file, "write");
let writer: RecordWriter | undefined;
migrate(database);

// One after the other: a batch is committed before the next one begins.
let last = Promise.resolve();
port.on("message", (first: readonly WriteRequest[] | "close") => {
  last = last.then(() => take(first));
});

async function take(first: readonly WriteRequest[] | "close"): Promise<void> {
  let message: readonly WriteRequest[] | "close" | undefined = first;
  let batch: WriteRequest[] = [];
  while (message !== undefined && message !== "close") {
    batch.push(...message);
    if (batch.length >= MAX_BATCH) {
      await commit(batch);
      batch = [];
    }
    message = receiveMessageOnPort(port)?.message;
  }
  if (batch.length > 0) await commit(batch);
  if (message === "close") {
    database?.close();
    // Nothing else keeps this thread alive, so it ends, and its end is the answer.
    port.close();
  }
}
tryPost(port, { fromReserve: namesFromReserve() } satisfies Ready);
keepCompiled();

async function commit(batch: readonly WriteRequest[]): Promise<void> {
  const answers = await attempt(batch);
  tryPostAll(port, answers, ({ id }, error) => tryPost(port, [{ id, fault: error.message } satisfies WriteAnswer]));
  // After a failed fsync this handle does not know the state of the file's pages. Only a new handle reads what is on
  // disk.
  if (answers.every((answer) => "refusals" in answer && answer.refusals[0].code.startsWith("storage_"))) leave();
  try {
    database?.tidy();
  } catch {
    // Committed pages stay in the log. If the disk is still in trouble, the next batch will report it.
    leave();
  }
}

/** While the disk is in trouble the file may not even open, so every batch tries again. */
async function attempt(batch: readonly WriteRequest[]): Promise<readonly WriteAnswer[]> {
  try {
    database ??= new Connection(file, "write");
  } catch (error) {
    return refuseBatch(batch, error);
  }
  writer ??= createRecordWriter(database);
  return commitBatch(database, batch, writer);
}

function leave(): void {
  database?.close();
  database = undefined;
  writer = undefined;
}

function fail(text: string): never {
  throw new Error(text);
}
