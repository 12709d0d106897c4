import { listOf, listUnder } from "./list-of.ts";
import type { NewRollout, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** Blueprints that many devices get, in stages. */
export function rollouts({ perform }: Transport) {
  const of = (rollout_id: string) => ({ params: { rollout_id } });
  return {
    create: async (body: NewRollout) => (await perform("createRollout", { body })).rollout,
    list: listOf("rollouts", (query: Queries["listRollouts"] = {}) => perform("listRollouts", { query })),
    get: async (id: string) => (await perform("getRollout", of(id))).rollout,
    devices: listUnder("devices", (id: string, query: Queries["listRolloutDevices"] = {}) =>
      perform("listRolloutDevices", { ...of(id), query }),
    ),
    pause: async (id: string) => (await perform("pauseRollout", of(id))).rollout,
    resume: async (id: string, query: Queries["resumeRollout"] = {}) =>
      (await perform("resumeRollout", { ...of(id), query })).rollout,
    abort: async (id: string) => (await perform("abortRollout", of(id))).rollout,
  };
}
