import type { Answer } from "./server.ts";

const MOST_TRIES = 5;

/** Calls again when the service is overloaded for the moment, as a client should: a busy machine reads packages slowly. */
export async function patiently<Body>(call: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  for (let tries = 1; ; tries++) {
    const answer = await call();
    if (answer.status !== 503 || tries === MOST_TRIES) return answer;
  }
}
