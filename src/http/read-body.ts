// Reads a body whole. Its pieces are copied into one, and then their memory is given back at once: dead pieces of large bodies
// made V8 collect the garbage of the main thread several times a second, which took more time than reading them.
import type { Readable } from "node:stream";
import { refuse } from "#core/app-error.ts";
import { freeBytes } from "#tuning/free-bytes.ts";

export type ReadBody = (error: Error | null, body?: Buffer) => void;

/** `announced` is the length that the request says it has; NaN if it does not say. */
export function readBody(
  pieces: Readable,
  { announced, limit }: { readonly announced: number; readonly limit: number },
  done: ReadBody,
): void {
  const read: Buffer[] = [];
  let length = 0;
  const end = (error?: Error | null) => {
    pieces.off("data", take).off("end", end).off("error", end);
    const body = error ? undefined : Buffer.concat(read, length);
    for (const piece of read) freeBytes(piece);
    if (body === undefined) done(error ?? null);
    else done(null, body);
  };
  const take = (piece: Buffer) => {
    length += piece.length;
    read.push(piece);
    if (length > limit) end(tooLarge(limit));
  };
  if (announced > limit) done(tooLarge(limit));
  else pieces.on("data", take).on("end", end).on("error", end);
}

function tooLarge(limit: number): Error {
  return refuse("body_too_large", `the body is larger than ${limit / 1024 ** 2} MiB`);
}
