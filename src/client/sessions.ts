import { listOf } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

/** Sign-in of a page, which then calls without a token: the browser keeps the session in a cookie. */
export function sessions({ json }: Transport) {
  const path = "/v3/sessions";
  return {
    /** `replace`: the code may end the browser's session of another token, which is a `conflict` otherwise. */
    create: (by: { readonly token: string } | { readonly code: string; readonly replace?: boolean }) =>
      json<Answers["createSession"]>({ method: "POST", path, body: by }),
    current: () => json<Answers["getCurrentSession"]>({ method: "GET", path: `${path}/current` }),
    list: listOf("sessions", (window: Window = {}) =>
      json<Answers["listSessions"]>({ method: "GET", path, query: { ...window } }),
    ),
    end: (id: string) => json<Answers["endSession"]>({ method: "DELETE", path: `${path}/${segment(id)}` }),
    endCurrent: () => json<Answers["endCurrentSession"]>({ method: "DELETE", path: `${path}/current` }),
    /** All sessions of the caller's token. */
    endAll: () => json<Answers["endOwnSessions"]>({ method: "DELETE", path }),
    /** For the link /sign-in#code=... of the page; valid once and for 10 minutes. */
    createCode: () => json<Answers["createSignInCode"]>({ method: "POST", path: `${path}/codes` }),
  };
}
