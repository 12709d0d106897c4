// What reading a link may use of this process. Each connection reads its messages in turns on the main thread, fairly among
// all connections, and rests after a message that took long. Packing and unpacking go to other threads. Large messages
// that are being received count against a budget.
import { deflateRaw, inflateRaw } from "node:zlib";
import { LinkMistake } from "#core/link/message-fields.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { createFairTurns, type EventLoop } from "#core/share/fair-turns.ts";
import type { Shares } from "#core/share/shares.ts";

/** Of one connection. */
export interface LinkIntake {
  /** Resolves when this connection may use the main thread. */
  turn(): Promise<void>;
  /** Does the task in a turn of this connection. */
  run<Result>(task: () => Result): Promise<Result>;
  /** Rejects when more bytes come out. */
  unpack(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
  pack(bytes: Uint8Array): Promise<Uint8Array>;
  /** The connection holds so many bytes of messages that it has not read. Throws when it had to make room. */
  hold(bytes: number): void;
  end(): void;
}

export interface LinkIntakes {
  /** `key`: the gateway. `close` is called when the connection has to make room for others. */
  open(key: string, close: (reason: string) => void): LinkIntake;
}

const TURNS = { ms: 5, servingMs: 2, waiting: 100_000, waitingPerKey: 16 };
/** A task that takes longer is followed by a rest of so many times as long: no connection gets more than a tenth. */
const LONG_MS = 5;
const REST = 9;
const LONGEST_REST_MS = 5_000;
const MESSAGES_BYTES = 64 * 1024 * 1024;
/** Smaller ones do not count. */
const FREE_BYTES = 256 * 1024;

const NO_ROOM = "there is no room for so many large messages at once; connect again later";

type Zip = (done: (error: Error | null, result: Uint8Array) => void) => void;

function zipped(zip: Zip): Promise<Uint8Array> {
  return new Promise((resolve, reject) => zip((error, result) => (error === null ? resolve(result) : reject(error))));
}

interface IntakeNeeds {
  readonly shares: Pick<Shares, "watch">;
  readonly budgets: Pick<ByteBudgets, "open">;
  readonly loop: EventLoop;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export function createLinkIntakes({ shares, budgets, loop, pause }: IntakeNeeds): LinkIntakes {
  const turns = shares.watch("main_thread_links", createFairTurns(TURNS, loop));
  const budget = budgets.open("link_messages", MESSAGES_BYTES);
  const holders = new Set<Holder>();

  /** The connection that holds the most is closed, as often as it takes. */
  function makeRoom(bytes: number): void {
    while (!budget.take(bytes)) {
      const most = [...holders].reduce<Holder | undefined>(
        (a, b) => (a === undefined || b.held > a.held ? b : a),
        undefined,
      );
      if (most === undefined || most.held === 0) return;
      most.giveUp();
    }
  }

  interface Holder {
    held: number;
    giveUp(): void;
  }

  return {
    open(key, close) {
      const over = new AbortController();
      let restUntil = 0;
      let hasGivenUp = false;
      const holder: Holder = {
        held: 0,
        giveUp() {
          hasGivenUp = true;
          release();
          close(NO_ROOM);
        },
      };
      holders.add(holder);

      function release(): void {
        budget.give(holder.held);
        holder.held = 0;
      }

      async function turn(): Promise<void> {
        const rest = Math.min(restUntil - loop.elapsed(), LONGEST_REST_MS);
        if (rest > 0) await pause(rest, over.signal);
        if (turns.hasTime()) return;
        await new Promise<void>((resolve) => {
          if (!turns.later(key, resolve)) loop.nextTurn(resolve);
        });
      }

      return {
        turn,
        async run(task) {
          await turn();
          const from = loop.elapsed();
          try {
            return task();
          } finally {
            const cost = loop.elapsed() - from;
            if (cost > LONG_MS) restUntil = from + cost + REST * cost;
          }
        },
        unpack: (bytes, maxOutputLength) => zipped((done) => inflateRaw(bytes, { maxOutputLength }, done)),
        pack: (bytes) => zipped((done) => deflateRaw(bytes, { level: 1 }, done)),
        hold(bytes) {
          if (hasGivenUp) throw new LinkMistake(NO_ROOM);
          const counted = Math.max(0, bytes - FREE_BYTES);
          const more = counted - holder.held;
          if (more > 0) makeRoom(more);
          else budget.give(-more);
          if (!hasGivenUp) holder.held = counted;
        },
        end() {
          over.abort();
          release();
          holders.delete(holder);
        },
      };
    },
  };
}
