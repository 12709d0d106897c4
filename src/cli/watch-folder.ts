import { watch } from "node:fs";

/** Editors write a file in several steps, and save several files at once. */
const QUIET_MS = 120;

/** The paths that changed, once nothing has for a moment. Files that begin with a dot are nobody's concern. Ends with the signal. */
export async function* watchFolder(folder: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const changed = new Set<string>();
  let wake = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name === null || name.split(/[\\/]/).some((part) => part.startsWith("."))) return;
    changed.add(name);
    clearTimeout(timer);
    timer = setTimeout(() => wake.resolve(), QUIET_MS);
  });
  const end = () => wake.resolve();
  watcher.on("error", (error) => wake.reject(error));
  signal.addEventListener("abort", end);
  try {
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      const paths = [...changed].sort();
      changed.clear();
      if (paths.length > 0) yield paths;
    }
  } finally {
    signal.removeEventListener("abort", end);
    clearTimeout(timer);
    watcher.close();
  }
}
