// Calls share the main thread. Each turn of the event loop serves them in order for some milliseconds. The rest wait
// for the next turns and are served fairly by requester, so a flood from one token delays another token's call by about
// one task.
import type { FastifyRequest } from "fastify";
import { createFairTurns, type EventLoop } from "#core/share/fair-turns.ts";
import { requesterOf } from "#core/share/requester.ts";
import type { Shares } from "#core/share/shares.ts";
import { EVENT_LOOP } from "#event-loop";
import { tooManyCalls } from "#service/operation/call-places.ts";

const LIMITS = { ms: 10, servingMs: 2, waiting: 4_096, waitingPerKey: 2_048 };
/**
 * A waiting call takes one place, and one more for each piece of its body of this size: so at most 64 MiB of bodies
 * wait.
 */
const BYTES_PER_PLACE = 16 * 1024;

export interface MainThreadShare {
  /** Serves the call now or in its turn. Rejects when too many calls wait already. */
  serve<Answer>(request: FastifyRequest, serve: () => Promise<Answer>): Promise<Answer>;
  /** Resolves in a later turn: a long answer is made in pieces, and each takes a turn of its requester. */
  nextTurn(request: FastifyRequest): Promise<void>;
}

export function createMainThreadShare(shares: Pick<Shares, "watch">, loop: EventLoop = EVENT_LOOP): MainThreadShare {
  const turns = shares.watch("main_thread", createFairTurns(LIMITS, loop));
  const keyOf = (request: FastifyRequest) => requesterOf(request.caller ?? { tokenId: "" }, request.ip).key;
  return {
    serve(request, serve) {
      if (turns.hasTime()) return serve();
      const { promise, resolve } = Promise.withResolvers<ReturnType<typeof serve>>();
      const bytes = request.body instanceof Uint8Array ? request.body.length : 0;
      const places = 1 + Math.floor(bytes / BYTES_PER_PLACE);
      if (turns.later(keyOf(request), () => resolve(serve()), places)) return promise as never;
      return Promise.reject(tooManyCalls("too many calls wait for their turn"));
    },
    nextTurn: (request) =>
      new Promise((resolve) => {
        // An answer that has begun is not refused.
        if (!turns.later(keyOf(request), resolve)) loop.nextTurn(resolve);
      }),
  };
}
