// Reading large bodies takes time of the main thread: 64 KiB at once, and some connections send a gigabyte a second. So
// pieces of large bodies are read in turns of their requesters: who sends without end delays only itself. A connection
// whose piece waits is not read meanwhile, so its client slows down.
import type { IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import { createFairTurns, type EventLoop } from "#core/share/fair-turns.ts";
import type { Shares } from "#core/share/shares.ts";
import { EVENT_LOOP } from "#event-loop";

/**
 * Milliseconds of a turn. What a piece costs to read comes on top, after its connection is let go: about as much again as
 * its turn.
 */
const TURN = { ms: 2, servingMs: 0.2 };

/** A body of this size is at most one piece, and needs no turns. */
const ONE_PIECE = 64 * 1024;

export interface BodyPacer {
  /** The body of the request, as pieces that come in the turns of `key`. Asked again, the same stream. */
  pace(request: IncomingMessage, key: string): Readable;
}

/** `connections` is the number of connections that there may be: each waits at most once. */
export function createBodyPacer(
  shares: Pick<Shares, "watch">,
  connections: number,
  loop: EventLoop = EVENT_LOOP,
): BodyPacer {
  const limits = { ...TURN, waiting: connections, waitingPerKey: connections };
  const turns = shares.watch("body_pieces", createFairTurns(limits, loop));
  const bodies = new WeakMap<IncomingMessage, Transform>();
  return {
    pace(request, key) {
      const known = bodies.get(request);
      if (known !== undefined) return known;
      const { "content-length": length = 0, "transfer-encoding": encoding } = request.headers;
      if (encoding === undefined && Number(length) <= ONE_PIECE) return request;
      const body = new Transform({
        transform(piece, _encoding, done) {
          const pass = () => done(null, piece);
          if (turns.hasTime()) pass();
          else if (!turns.later(key, pass)) done(new Error("too many bodies are read at once"));
        },
      });
      bodies.set(request, body);
      request.once("error", (error) => body.destroy(error));
      return request.pipe(body);
    },
  };
}
