import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { toFrames } from "#core/link/frames.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { PLAIN_INTAKE } from "../../../test/support/plain-intake.ts";
import { createLinkChannel } from "./link-channel.ts";

const settings = (nonce: number) => ({ parse: (value: unknown) => value, nonce, intake: PLAIN_INTAKE });

/** A channel that receives these messages, and what it sends. */
function channel(received: readonly Uint8Array[] = []) {
  const sent: Uint8Array[] = [];
  async function* frames() {
    for (const message of received) yield* toFrames(Buffer.concat([Buffer.alloc(4), message]));
  }
  const socket = { frames: frames(), close: () => {}, send: async (frame: Uint8Array) => void sent.push(frame) };
  return { sent, ...createLinkChannel<object, unknown>(socket, settings(7)) };
}

const all = async (messages: AsyncIterable<unknown>) => await Array.fromAsync(messages);

test.each([0, 1_000, 100_000, 1_000_000])("a message of %i characters arrives as it was sent", async (length) => {
  const text = Array.from({ length: Math.ceil(length / 10) }, (_, at) => `${at}`.padStart(10)).join("");
  const { send, sent } = channel();
  await send({ text });
  const frames = async function* () {
    yield* sent;
  };
  const other = createLinkChannel({ frames: frames(), close: () => {}, send: async () => {} }, settings(8));
  expect(await all(other.messages)).toEqual([{ text }]);
});

test.each([
  ["that unpacks to far more than it is", Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.alloc(40_000_000))])],
  ["that cannot be unpacked", Buffer.from([1, 255, 255])],
  ["that is no JSON", Buffer.from([0, 123])],
  ["that ends within its number", Buffer.from([3, 255])],
])("a message %s is a mistake of the other side", async (_, message) => {
  await expect(all(channel([message]).messages)).rejects.toBeInstanceOf(LinkMistake);
});

test("a large message leaves in frames that a very slow line carries within a minute", async () => {
  const sizes: number[] = [];
  const send = async (frame: Uint8Array) => void sizes.push(frame.length);
  const nothing = (async function* (): AsyncIterable<Uint8Array> {})();
  const channel = createLinkChannel({ frames: nothing, send, close: () => {} }, settings(1));
  await channel.send({ type: "package", content: new Uint8Array(100 * 1024) });
  expect(sizes).toHaveLength(4);
  expect(Math.max(...sizes)).toBe(32 * 1024);
});
