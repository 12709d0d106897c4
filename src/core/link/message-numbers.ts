// Each message of a connection begins with a number. The first one of each side is random. All others count on from a
// number that both make of the two first ones. So a message that comes again, of this connection or of a former one, never
// counts a second time.
import { LinkMistake } from "./message-fields.ts";

export interface MessageNumbers {
  /** The number of the next message of this side. After its first message a side has to hear the other. */
  next(): number;
  /** Whether the message of the other side is new. Throws a LinkMistake when it is not of this connection. */
  isNew(number: number): boolean;
}

export const NUMBER_BYTES = 4;

/** `nonce`: a random number below 2^32, another one for each connection. */
export function createMessageNumbers(nonce: number): MessageNumbers {
  const own = nonce >>> 0;
  let theirs: number | undefined;
  let sent = 0;
  let taken = 0;
  return {
    next() {
      if (sent++ === 0) return own;
      if (theirs === undefined) throw new Error("the other side has said nothing yet");
      return (secondOf(own, theirs) + sent - 2) >>> 0;
    },
    isNew(number) {
      if (theirs === undefined) {
        theirs = number;
        return true;
      }
      const place = (number - secondOf(theirs, own)) >>> 0;
      if (place === taken) {
        taken++;
        return true;
      }
      if (place < taken || number === theirs) return false;
      throw new LinkMistake("a message is not of this connection");
    },
  };
}

/** The number of the second message of a side that began with `own`. */
function secondOf(own: number, other: number): number {
  return (Math.imul(own ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(other, 0xc2b2ae35)) >>> 0;
}
