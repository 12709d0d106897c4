// The id of an event as clients see it. A position in the outbox would reveal how much happens on other sites, so it is
// encrypted and looks random. The key lives as long as the records, so an id is found again after a restart.
import { createCipheriv, createDecipheriv } from "node:crypto";

/** Where a listener stopped. */
export interface EventPlace {
  /** Of the last event that it got, or of the stored event before that one. */
  readonly position: number;
  /** The number of the event in this run; undefined for an event of another run, or one that was read from the outbox. */
  readonly sequence: number | undefined;
}

export interface EventIds {
  render(place: EventPlace): string;
  /** Undefined when it is no id of these records. */
  parse(id: string): EventPlace | undefined;
}

export const EVENT_KEY_BYTES = 16;
/** Distinguishes the runs. */
export const RUN_BYTES = 3;

// One block of AES: the position, the number and the run, and a zero by which most other texts are recognised.
const BLOCK = 16;
const SEQUENCE_BYTES = 5;
const [SEQUENCE_AT, RUN_AT, ZERO_AT] = [7, 12, 15];
/** Buffers write numbers of at most 6 bytes, and a position may take 7. */
const LOW = 2 ** 48;

export function createEventIds(key: Uint8Array, run: Uint8Array): EventIds {
  // Without padding and chaining each block stands alone, so one cipher and one decipher serve all ids.
  const cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const decipher = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  return {
    render({ position, sequence }) {
      const block = Buffer.alloc(BLOCK);
      block.writeUIntBE(Math.floor(position / LOW), 0, 1);
      block.writeUIntBE(position % LOW, 1, 6);
      if (sequence !== undefined) {
        block.writeUIntBE(sequence, SEQUENCE_AT, SEQUENCE_BYTES);
        block.set(run, RUN_AT);
      }
      return cipher.update(block).toString("base64url");
    },
    parse(id) {
      if (!/^[\w-]{22}$/.test(id)) return undefined;
      const block = decipher.update(Buffer.from(id, "base64url"));
      if (block[ZERO_AT] !== 0) return undefined;
      const sequence = block.readUIntBE(SEQUENCE_AT, SEQUENCE_BYTES);
      const isThisRun = sequence > 0 && block.subarray(RUN_AT, ZERO_AT).equals(run);
      const position = block.readUIntBE(0, 1) * LOW + block.readUIntBE(1, 6);
      return { position, sequence: isThisRun ? sequence : undefined };
    },
  };
}
