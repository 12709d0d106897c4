import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readBody } from "./read-body.ts";

const KIB = 1024;

/** Pieces as they come from a connection: each has memory of its own. */
const pieceOf = (letter: string) => Buffer.from(new ArrayBuffer(64 * KIB)).fill(letter);

function read(pieces: readonly Buffer[], { announced = Number.NaN, limit = 1024 * KIB } = {}) {
  const stream = new PassThrough({ highWaterMark: 1024 * KIB });
  for (const piece of pieces) stream.write(piece);
  stream.end();
  return new Promise<Buffer | undefined>((resolve, reject) => {
    readBody(stream, { announced, limit }, (error, body) => (error === null ? resolve(body) : reject(error)));
  });
}

test("a body is whole, and its pieces hold no memory afterwards", async () => {
  const pieces = [pieceOf("a"), pieceOf("b"), Buffer.from("end")];
  const body = await read(pieces, { announced: 128 * KIB + 3 });
  expect([body?.length, body?.toString("latin1", 64 * KIB - 1, 64 * KIB + 1), body?.subarray(-3).toString()]).toEqual([
    128 * KIB + 3,
    "ab",
    "end",
  ]);
  expect(pieces.map(({ length }) => length)).toEqual([0, 0, 3]);
});

test("a body that is or becomes too large is refused, and its pieces hold no memory either", async () => {
  const tooLarge = { code: "body_too_large", message: "the body is larger than 0.0625 MiB" };
  await expect(read([], { announced: 64 * KIB + 1, limit: 64 * KIB })).rejects.toMatchObject(tooLarge);
  const pieces = [pieceOf("a"), pieceOf("b")];
  await expect(read(pieces, { limit: 64 * KIB })).rejects.toMatchObject(tooLarge);
  expect(pieces.map(({ length }) => length)).toEqual([0, 0]);
});

test("an empty body is empty", async () => {
  expect(await read([])).toHaveLength(0);
});
