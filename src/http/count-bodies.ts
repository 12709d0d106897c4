// Bodies are held until their call is answered, and some calls wait a minute. So what all of them hold is bounded.
import type { FastifyInstance } from "fastify";
import { refuse } from "#core/app-error.ts";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { BODY_LIMIT } from "#http/create-app.ts";

/** Smaller bodies are not counted: as many of them as there are connections come to little. */
const SMALL = 4_096;

/** After the token and the level are accepted, before anything of the body is read. */
export function countBodies(app: FastifyInstance, budget: ByteBudget): void {
  app.addHook("preParsing", (request, reply, payload, done) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.raw.headers;
    const bytes = encoding === undefined ? Number(length ?? 0) : BODY_LIMIT;
    // What is longer than a body may be is refused unread, or read as it comes.
    if (bytes <= SMALL || bytes > BODY_LIMIT) return done(null, payload);
    if (!budget.take(bytes)) {
      return done(refuse("overloaded", "too many large bodies are under way; try again in a moment"));
    }
    reply.raw.once("close", () => budget.give(bytes));
    done(null, payload);
  });
}
