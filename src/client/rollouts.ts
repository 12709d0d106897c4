import { listOf, listUnder } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers, JsonObject, NewRollout } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type Answer = Answers["getRollout"];

/** Blueprints that many devices get, in stages. */
export function rollouts({ json }: Transport) {
  const at = (id: string, rest = "") => `/v3/rollouts/${segment(id)}${rest}`;
  const turn = (name: "pause" | "abort") => async (id: string) =>
    (await json<Answer>({ method: "POST", path: at(id, `/${name}`) })).rollout;
  return {
    create: async (rollout: NewRollout) =>
      (await json<Answer>({ method: "POST", path: "/v3/rollouts", body: rollout as JsonObject })).rollout,
    list: listOf("rollouts", (window: Window = {}) =>
      json<Answers["listRollouts"]>({ method: "GET", path: "/v3/rollouts", query: { ...window } }),
    ),
    get: async (id: string) => (await json<Answer>({ method: "GET", path: at(id) })).rollout,
    devices: listUnder("devices", (id: string, window: Window & { readonly "state.in"?: string } = {}) =>
      json<Answers["listRolloutDevices"]>({ method: "GET", path: at(id, "/devices"), query: { ...window } }),
    ),
    pause: turn("pause"),
    resume: async (id: string, query: { readonly without_away?: "true" | "false" } = {}) =>
      (await json<Answer>({ method: "POST", path: at(id, "/resume"), query: { ...query } })).rollout,
    abort: turn("abort"),
  };
}
