// A thread that makes one backup and ends.
import { parentPort, workerData } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import { lowerPriority } from "#tuning/lower-priority.ts";
import { type BackupOptions, writeBackup } from "./write-backup.ts";

lowerPriority();
const port = parentPort;
if (port === null) throw new Error("backup-worker.ts runs only as a worker");
try {
  tryPost(port, { written: await writeBackup(workerData as BackupOptions) });
} catch (error) {
  tryPost(port, { failure: error instanceof Error ? error.message : String(error) });
}
