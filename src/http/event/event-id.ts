// The id of an event as clients see it. The event's number would reveal how many events other sites have, so it is
// encrypted with a key of this run and looks random.
import { createCipheriv, createDecipheriv } from "node:crypto";

export interface EventIds {
  render(sequence: number): string;
  /** The event's number; undefined when the id is not one of this run. */
  parse(id: string): number | undefined;
}

export const EVENT_KEY_BYTES = 16;
/** One block of AES: the number, and zeros by which an id of another run is recognised. */
const BLOCK = 16;

export function createEventIds(key: Uint8Array): EventIds {
  // Without padding and chaining each block stands alone, so one cipher and one decipher serve all ids.
  const cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const decipher = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  return {
    render(sequence) {
      const block = Buffer.alloc(BLOCK);
      block.writeBigUInt64BE(BigInt(sequence));
      return cipher.update(block).toString("base64url");
    },
    parse(id) {
      if (!/^[\w-]{22}$/.test(id)) return undefined;
      const block = decipher.update(Buffer.from(id, "base64url"));
      return block.readBigUInt64BE(8) === 0n ? Number(block.readBigUInt64BE(0)) : undefined;
    },
  };
}
