// Calls share the main thread. A turn of the event loop serves them as they come for some milliseconds; the rest wait and are
// served in the next turns, fairly by requester, so that a flood of one token delays another's call by about one task.
import type { FastifyRequest } from "fastify";
import { createFairTurns, type EventLoop } from "#core/share/fair-turns.ts";
import { requesterOf } from "#core/share/requester.ts";
import type { Shares } from "#core/share/shares.ts";
import { EVENT_LOOP } from "#event-loop";
import { tooManyCalls } from "#http/call-places.ts";

const LIMITS = { ms: 10, servingMs: 2, waiting: 4_096, waitingPerKey: 2_048 };
/** A waiting call takes a place, and one more for each piece of its body of this size: so 64 MiB of bodies wait at most. */
const BYTES_PER_PLACE = 16 * 1024;

/** Serves the call now or in its turn. Rejects when too many wait already. */
export type ServeInTurn = <Answer>(request: FastifyRequest, serve: () => Promise<Answer>) => Promise<Answer>;

export function createMainThreadShare(shares: Pick<Shares, "watch">, loop: EventLoop = EVENT_LOOP): ServeInTurn {
  const turns = shares.watch("main_thread", createFairTurns(LIMITS, loop));
  return (request, serve) => {
    if (turns.hasTime()) return serve();
    const { key } = requesterOf(request.caller ?? { tokenId: "" }, request.ip);
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof serve>>();
    const bytes = request.body instanceof Uint8Array ? request.body.length : 0;
    if (turns.later(key, () => resolve(serve()), 1 + Math.floor(bytes / BYTES_PER_PLACE))) return promise as never;
    return Promise.reject(tooManyCalls("too many calls wait for their turn"));
  };
}
