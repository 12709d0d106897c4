import { createTransport } from "#client/transport.ts";
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

/** The session is a cookie that scripts cannot read, so no call carries a token. */
export const CONNECTION = {
  url: typeof location === "undefined" ? "http://localhost" : location.origin,
  fetch: watchedFetch,
};

/** What the first screen calls with. All others have `client`, whose functions a first visit does not load. */
export const transport = createTransport(CONNECTION);

/** Any operation by its name. */
export const { perform } = transport;
