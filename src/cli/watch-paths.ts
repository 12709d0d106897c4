import { statSync, watch } from "node:fs";
import { dirname, join } from "node:path";

/** Editors write a file in several steps, and save several files at once. */
const QUIET_MS = 120;

/**
 * The files that changed in these folders, or of these files, once nothing has for a moment. Files that begin with a dot are
 * nobody's concern. Ends with the signal.
 */
export async function* watchPaths(paths: readonly string[], signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const changed = new Set<string>();
  let wake = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const watchers = paths.map((path) => {
    const folder = statSync(path).isDirectory() ? path : dirname(path);
    return watch(path, { recursive: true }, (_, name) => {
      if (name === null || name.split(/[\\/]/).some((part) => part.startsWith("."))) return;
      changed.add(join(folder, name));
      clearTimeout(timer);
      timer = setTimeout(() => wake.resolve(), QUIET_MS);
    });
  });
  const end = () => wake.resolve();
  for (const watcher of watchers) watcher.on("error", (error) => wake.reject(error));
  signal.addEventListener("abort", end);
  try {
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      const found = [...changed].sort();
      changed.clear();
      if (found.length > 0) yield found;
    }
  } finally {
    signal.removeEventListener("abort", end);
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  }
}
