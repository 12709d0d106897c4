import { flushCompileCache } from "node:module";

/** By then everything that a start needs has run, and nobody waits for it any more. */
const SOON_MS = 10_000;

/**
 * Node keeps compiled code when a thread ends in order. A gateway ends when its power does: without this it would compile
 * anew at every start, and each thread load what strips types for it, which costs a second and 12 MB a thread.
 */
export function keepCompiled(afterMs = SOON_MS): void {
  setTimeout(flushCompileCache, afterMs).unref();
}
