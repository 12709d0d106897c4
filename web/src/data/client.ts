import { createClient } from "#client/create-client.ts";
import { clock } from "./clock.svelte.ts";

let whenRefused: () => void = () => {};

/** Called when the server no longer knows the session. */
export function onSessionRefused(call: () => void): void {
  whenRefused = call;
}

let held: Promise<void> | undefined;

/** Calls that are made until then are sent then: each takes as long as drawing some elements. */
export function holdCalls(until: Promise<void>): void {
  held = until.then(() => {
    held = undefined;
  });
}

async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  if (held !== undefined) await held;
  const response = await fetch(input, init);
  clock.learn(Date.parse(response.headers.get("date") ?? ""));
  if (response.status === 401) whenRefused();
  return response;
}

/** The HTTP interface. The session is a cookie that scripts cannot read, so no call carries a token. */
export const client = createClient({
  url: typeof location === "undefined" ? "http://localhost" : location.origin,
  fetch: watchedFetch,
});
