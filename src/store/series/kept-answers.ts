// Whole answers about sealed hours, kept as the bytes that were sent: several people look at the same screen, and dashboards ask for
// yesterday and last year again and again. Such an answer needs no other thread.
//
// An answer is right as long as nothing was written to the chunks since before it was computed. The writing thread counts that for all
// series together (count-changes.ts), so no statement is needed to see it. When an hour is sealed, everything here is worth nothing
// any more, and what reading threads keep is used again (finished-buckets.ts).
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { SeriesQuery } from "./query.ts";

/** Longer ones take long enough anyway. A year by the hour fits. */
export const MOST_ANSWER_BYTES = 512 * 1024;
const MOST_KEY = 16 * 1024;
/** An entry without its bytes and its key. */
const ENTRY_BYTES = 300;

interface AskedAnswer {
  /** Undefined when it is not known. */
  readonly known: Uint8Array | undefined;
  /** Takes what was computed after this question was asked. */
  keep(answer: Uint8Array): void;
}

export interface KeptAnswers {
  /** Undefined where nothing can be kept now. The question must be about sealed hours only. */
  ask(query: SeriesQuery, rendering: Rendering): AskedAnswer | undefined;
  usedBytes(): number;
}

/** Keeps those that were used last, up to `room` bytes. */
export function createKeptAnswers(room: number, changes: Int32Array): KeptAnswers {
  const kept = new Map<string, Uint8Array>();
  let keptAt = 0;
  let used = 0;
  const costOf = (key: string, answer: Uint8Array) => ENTRY_BYTES + key.length + answer.buffer.byteLength;
  const drop = (key: string): Uint8Array | undefined => {
    const answer = kept.get(key);
    if (answer === undefined) return undefined;
    kept.delete(key);
    used -= costOf(key, answer);
    return answer;
  };
  const put = (key: string, answer: Uint8Array) => {
    drop(key);
    kept.set(key, answer);
    used += costOf(key, answer);
    for (const oldest of kept.keys()) {
      if (used <= room) break;
      drop(oldest);
    }
  };
  return {
    usedBytes: () => used,
    ask(query, rendering) {
      const asked = Atomics.load(changes, 0);
      // Something is being written.
      if (asked % 2 !== 0) return undefined;
      if (asked !== keptAt) {
        kept.clear();
        used = 0;
        keptAt = asked;
      }
      const key = JSON.stringify([query, rendering]);
      if (key.length > MOST_KEY) return undefined;
      const known = drop(key);
      // The map is in the order of use.
      if (known !== undefined) put(key, known);
      return {
        known,
        keep(answer) {
          if (answer.length > MOST_ANSWER_BYTES || keptAt !== asked || Atomics.load(changes, 0) !== asked) return;
          const isTight = answer.buffer.byteLength <= 1.25 * answer.length + 64;
          put(key, isTight ? answer : new Uint8Array(answer));
        },
      };
    },
  };
}
