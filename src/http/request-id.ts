import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Uses a harmless id that the client sent, so that both sides find the call in their logs; otherwise creates one. */
export function createRequestIds(): (request: Pick<IncomingMessage, "headers">) => string {
  const run = randomBytes(6).toString("hex");
  let count = 0;
  return (request) => {
    const given = request.headers["x-request-id"];
    return typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : `${run}-${(++count).toString(36)}`;
  };
}
