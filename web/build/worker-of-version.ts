import { createHash } from "node:crypto";

/** In the source of the service worker. */
const NAME = '"shell-1"';

/**
 * The service worker of a build. Its cache is named after what it keeps from the beginning: a browser installs a worker anew only when
 * its text has changed, and would keep an old page for the time without a server otherwise.
 */
export function workerOfVersion(source: string, kept: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const content of kept) hash.update(String(content.length)).update(" ").update(content);
  if (source.split(NAME).length !== 2) throw new Error(`the service worker has to name its cache ${NAME}, once`);
  return source.replace(NAME, `"shell-${hash.digest("hex").slice(0, 12)}"`);
}
