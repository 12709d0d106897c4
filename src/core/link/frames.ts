// Messages are cut into frames, so that a large message never holds the line for long and proxies pass everything. The
// first byte of a frame says whether more of the message follows.
import { MAX_MESSAGE_BYTES } from "./link-limits.ts";
import { LinkMistake } from "./message-fields.ts";

export const MAX_FRAME_BYTES = 256 * 1024;
/** What is sent is smaller, so that a very slow line still carries a frame from time to time. */
const SENT_FRAME_BYTES = 32 * 1024;

const [LAST, MORE] = [0, 1];

export function toFrames(message: Uint8Array): readonly Uint8Array[] {
  const room = SENT_FRAME_BYTES - 1;
  const frames: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < message.length; at += room) {
    const part = message.subarray(at, at + room);
    const frame = new Uint8Array(1 + part.length);
    frame[0] = at + room < message.length ? MORE : LAST;
    frame.set(part, 1);
    frames.push(frame);
  }
  return frames;
}

/** Takes frames in their order; gives a message with its last frame. */
export function createFrameReader(): (frame: Uint8Array) => Uint8Array | undefined {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  return (frame) => {
    const [flag] = frame;
    if (frame.length > MAX_FRAME_BYTES || (flag !== LAST && flag !== MORE))
      throw new LinkMistake("a frame cannot be read");
    bytes += frame.length - 1;
    if (bytes > MAX_MESSAGE_BYTES) throw new LinkMistake(`a message is larger than ${MAX_MESSAGE_BYTES} bytes`);
    parts.push(frame.subarray(1));
    if (flag === MORE) return undefined;
    const message = new Uint8Array(bytes);
    let at = 0;
    for (const part of parts) {
      message.set(part, at);
      at += part.length;
    }
    parts = [];
    bytes = 0;
    return message;
  };
}
