import { listOf } from "./list-of.ts";
import type { ListedSession, Session } from "./resources/access.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

/** Sign-in of a page, which then calls without a token: the browser keeps the session in a cookie. */
export function sessions({ json }: Transport) {
  const path = "/v3/sessions";
  return {
    /** `replace`: the code may end the browser's session of another token, which is a `conflict` otherwise. */
    create: (by: { readonly token: string } | { readonly code: string; readonly replace?: boolean }) =>
      json<{ session: Session }>({ method: "POST", path, body: by }),
    current: () => json<{ session: Session }>({ method: "GET", path: `${path}/current` }),
    list: listOf("sessions", (window: Window = {}) =>
      json<Page<"sessions", ListedSession>>({ method: "GET", path, query: { ...window } }),
    ),
    end: (id: string) => json<JsonObject>({ method: "DELETE", path: `${path}/${segment(id)}` }),
    endCurrent: () => json<JsonObject>({ method: "DELETE", path: `${path}/current` }),
    /** All sessions of the caller's token. */
    endAll: () => json<JsonObject>({ method: "DELETE", path }),
    /** For the link /sign-in#code=... of the page; valid once and for 10 minutes. */
    createCode: () => json<{ code: string; expires_at: string }>({ method: "POST", path: `${path}/codes` }),
  };
}
