import type { ConnectionNeeds, OpenDriver } from "#drivers/driver.ts";
import { httpCalls } from "./http-calls.ts";
import { createHttpConnection, type HttpConnection } from "./http-connection.ts";
import type { HttpRequest } from "./http-request.ts";

export function connect({ reach, now }: Pick<ConnectionNeeds, "reach" | "now">): OpenDriver {
  // Most devices speak no HTTP.
  let http: HttpConnection | undefined;
  const send = (request: HttpRequest) => {
    http ??= createHttpConnection({ reach, now });
    return http.send(request);
  };
  return { calls: httpCalls(send, now), close: () => http?.close() };
}
