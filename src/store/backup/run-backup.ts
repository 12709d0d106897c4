import { Worker } from "node:worker_threads";
import type { BackupOptions, WrittenBackup } from "./write-backup.ts";

type Answer = { readonly written: WrittenBackup } | { readonly failure: string };

/** Makes a backup in a thread of its own: copying a database and packing it take long. The signal gives it up. */
export async function runBackup(options: BackupOptions, signal: AbortSignal): Promise<WrittenBackup> {
  const worker = new Worker(new URL("./backup-worker.ts", import.meta.url), { workerData: options });
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("the backup was given up")), { once: true });
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the thread of the backup ended before it was done")));
    });
    if ("failure" in answer) throw new Error(answer.failure);
    return answer.written;
  } finally {
    await worker.terminate();
  }
}
