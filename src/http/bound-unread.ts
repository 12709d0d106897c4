// Answers that clients have not read yet stay in memory. The total is bounded: beyond it, the requester that holds the
// most loses the answer that has waited longest.
import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { requesterOf } from "#core/share/requester.ts";
import { SpacedStream } from "#http/late-answer.ts";

/** Smaller answers are not counted: even one per connection adds up to little. */
const SMALL = 4_096;
/** What a stream may hold: the piece that waits, and the one before it in the socket. */
const STREAM_BYTES = 128 * 1024;

interface Unread {
  bytes: number;
  /** The longest waiting first. */
  readonly answers: Map<ServerResponse, number>;
}

/** Counts what the client of this call has to read until the answer has left. */
export type CountUnread = (request: FastifyRequest, reply: FastifyReply, bytes: number) => void;

/** Counts every answer as it is sent. The returned function counts what a stream adds later. */
export function boundUnread(app: FastifyInstance, budget: ByteBudget): CountUnread {
  const requesters = new Map<string, Unread>();

  function giveBack(key: string, answer: ServerResponse): void {
    const unread = requesters.get(key);
    const bytes = unread?.answers.get(answer);
    if (unread === undefined || bytes === undefined) return;
    unread.answers.delete(answer);
    unread.bytes -= bytes;
    if (unread.answers.size === 0) requesters.delete(key);
    budget.give(bytes);
  }

  /** False when there is none. */
  function cutSlowest(): boolean {
    let most: [key: string, unread: Unread] | undefined;
    for (const one of requesters) if (one[1].bytes > (most?.[1].bytes ?? 0)) most = one;
    const [answer] = most?.[1].answers.keys() ?? [];
    if (most === undefined || answer === undefined) return false;
    giveBack(most[0], answer);
    answer.destroy();
    return true;
  }

  const count: CountUnread = (request, { raw }, bytes) => {
    const size = Math.min(bytes, budget.limit);
    if (size <= SMALL || raw.closed) return;
    while (!budget.take(size)) if (!cutSlowest()) return;
    const { key } = requesterOf(request.caller ?? { tokenId: "" }, request.ip);
    const unread = requesters.get(key) ?? { bytes: 0, answers: new Map() };
    unread.bytes += size;
    unread.answers.set(raw, size);
    requesters.set(key, unread);
    // "finish" means that the system has all of it; "close" also comes when that never happens.
    const end = () => giveBack(key, raw);
    raw.once("finish", end).once("close", end);
  };

  app.addHook("onSend", (request, reply, payload, done) => {
    // Event streams have their own limits: each holds a few events, which all of them share.
    if (reply.getHeader("content-type") !== "text/event-stream") count(request, reply, sizeOf(payload));
    done();
  });
  return count;
}

function sizeOf(payload: unknown): number {
  if (typeof payload === "string") return payload.length;
  if (payload instanceof Uint8Array) return payload.byteLength;
  if (payload instanceof SpacedStream) return 0;
  return typeof payload === "object" && payload !== null && "pipe" in payload ? STREAM_BYTES : 0;
}
