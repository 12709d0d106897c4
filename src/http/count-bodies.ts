// Bodies stay in memory until their call is answered or has stored them, and some calls wait a minute. So the total of
// all bodies is bounded, and the total of each caller. Large ones are read in turns.
import type { FastifyInstance } from "fastify";
import { refuse } from "#core/app-error.ts";
import type { ByteShares, GiveBack } from "#core/share/byte-shares.ts";
import { requesterOf } from "#core/share/requester.ts";
import { BODY_LIMIT } from "#http/create-app.ts";
import type { BodyPacer } from "#http/pace-bodies.ts";
import { tooManyCalls } from "#service/operation/call-places.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined where the body is not counted. */
    giveBodyBack: GiveBack | undefined;
  }
}

/** Smaller bodies are not counted: even one per connection adds up to little. */
const SMALL = 4_096;

/** Called after the token and the level are accepted, before the body is read. */
export function countBodies(app: FastifyInstance, shares: ByteShares, pacer: BodyPacer): void {
  app.decorateRequest("giveBodyBack", undefined);
  app.addHook("preParsing", (request, reply, payload, done) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.raw.headers;
    const bytes = encoding === undefined ? Number(length ?? 0) : BODY_LIMIT;
    if (bytes <= SMALL) return done(null, payload);
    const { kind, key } = requesterOf(request.caller ?? { tokenId: "" }, request.ip);
    const read = () => done(null, pacer.pace(request.raw, key));
    // A body beyond the limit is refused unread, or is read as a stream.
    if (bytes > BODY_LIMIT) return read();
    const giveBack = shares.take(key, bytes);
    if (giveBack === "key is full") return done(tooManyCalls(`too many large bodies of this ${kind} are under way`));
    if (giveBack === "all is full") {
      return done(refuse("overloaded", "too many large bodies are under way; try again in a moment"));
    }
    request.giveBodyBack = giveBack;
    reply.raw.once("close", giveBack);
    read();
  });
}
