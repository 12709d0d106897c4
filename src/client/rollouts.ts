import { listOf, listUnder } from "./list-of.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import type { Rollout, RolloutDevice } from "./resources/rollout.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export type NewRollout = {
  readonly name?: string;
  readonly blueprint_id: string;
  readonly devices: {
    readonly device_ids?: readonly string[];
    readonly site_ids?: readonly string[];
    readonly blueprint_ids?: readonly string[];
    readonly types?: readonly string[];
  };
  readonly stages?: readonly string[];
  readonly watch?: string | number;
  readonly timeout?: string | number;
  readonly max_failures?: number;
};

type Answer = { readonly rollout: Rollout };

/** Blueprints that many devices get, in stages. */
export function rollouts({ json }: Transport) {
  const at = (id: string, rest = "") => `/v3/rollouts/${segment(id)}${rest}`;
  const turn = (name: "pause" | "abort") => async (id: string) =>
    (await json<Answer>({ method: "POST", path: at(id, `/${name}`) })).rollout;
  return {
    create: async (rollout: NewRollout) =>
      (await json<Answer>({ method: "POST", path: "/v3/rollouts", body: rollout as JsonObject })).rollout,
    list: listOf("rollouts", (window: Window = {}) =>
      json<Page<"rollouts", Rollout>>({ method: "GET", path: "/v3/rollouts", query: { ...window } }),
    ),
    get: async (id: string) => (await json<Answer>({ method: "GET", path: at(id) })).rollout,
    devices: listUnder("devices", (id: string, window: Window & { readonly "state.in"?: string } = {}) =>
      json<Page<"devices", RolloutDevice>>({ method: "GET", path: at(id, "/devices"), query: { ...window } }),
    ),
    pause: turn("pause"),
    resume: async (id: string, query: { readonly without_away?: "true" | "false" } = {}) =>
      (await json<Answer>({ method: "POST", path: at(id, "/resume"), query: { ...query } })).rollout,
    abort: turn("abort"),
  };
}
