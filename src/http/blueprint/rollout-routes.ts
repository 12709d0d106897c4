import { OPEN_DEVICE_STATES, ROLLOUT_DEVICE_STATES, type Rollout } from "#core/blueprint/rollout.ts";
import {
  newRolloutSchema,
  parseNewRollout,
  renderRollout,
  renderRolloutDevice,
  rolloutAnswer,
  rolloutDeviceSchema,
  rolloutSchema,
} from "#http/blueprint/rollout-wire.ts";
import { choice, listOf, pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { listAnswer } from "#http/wire.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import { createRollout, findRollout, type RolloutNeeds, turnRollout } from "#service/blueprint/create-rollout.ts";

const tag = "Roll-outs";
const access = "installer";

export function rolloutRoutes(needs: RolloutNeeds): readonly Route[] {
  const render = async (rollout: Rollout) => {
    const { id, stage } = rollout;
    const filter = { states: OPEN_DEVICE_STATES, stage, isAway: true } as const;
    const { total: away } = await needs.rollouts.devices(id, filter, { limit: 0, offset: 0 });
    return renderRollout(rollout, await needs.rollouts.counts(id), away);
  };
  const turnRoute = (turn: "pause" | "abort", { summary, description }: { summary: string; description: string }) =>
    route({
      method: "POST",
      path: `/v3/rollouts/:rollout_id/${turn}`,
      operation: `${turn}Rollout`,
      summary,
      description,
      tag,
      access,
      answer: rolloutAnswer,
      handle: async (call) => ({
        rollout: await render(await turnRollout(needs, call, { id: call.params.rollout_id, turn })),
      }),
    });
  const pause = turnRoute("pause", {
    summary: "Pause a roll-out",
    description:
      "What waits at gateways is withdrawn, and asked for again when the roll-out is resumed. A device whose gateway is just giving it the blueprint gets it.",
  });
  const resume = route({
    method: "POST",
    path: "/v3/rollouts/:rollout_id/resume",
    operation: "resumeRollout",
    summary: "Resume a roll-out that is paused or halted",
    description:
      "Devices that have failed so far are accepted and not tried again. With `without_away`, the roll-out may also be running.",
    tag,
    access,
    query: {
      without_away: choice("`true`: leaves out the devices of this stage whose gateway is not connected.", [
        "true",
        "false",
      ]),
    },
    answer: rolloutAnswer,
    handle: async (call) => {
      const skipsAway = call.query.without_away === "true";
      const input = { id: call.params.rollout_id, turn: "resume", skipsAway } as const;
      return { rollout: await render(await turnRollout(needs, call, input)) };
    },
  });
  const abort = turnRoute("abort", {
    summary: "End a roll-out",
    description: "What waits at gateways is withdrawn. Devices that have got the blueprint keep it.",
  });
  return [
    route({
      method: "POST",
      path: "/v3/rollouts",
      operation: "createRollout",
      summary: "Give a blueprint to many devices, in stages",
      description:
        "Each device of a stage has to be well for a while before the next stage begins: online if it was before, without a new alert of severity error and without an error in its log. When too many are not, the roll-out stops.",
      tag,
      access,
      body: newRolloutSchema,
      answer: rolloutAnswer,
      handle: async (call) => ({ rollout: await render(await createRollout(needs, call, parseNewRollout(call.body))) }),
    }),
    route({
      method: "GET",
      path: "/v3/rollouts",
      operation: "listRollouts",
      summary: "List roll-outs, newest first",
      tag,
      access,
      query: paging,
      answer: listAnswer("rollouts", rolloutSchema),
      handle: async (call) => {
        requireAllSites(call.caller);
        const { items, total } = await needs.rollouts.list(pageOf(call.query));
        return { rollouts: await Promise.all(items.map(render)), total_count: total };
      },
    }),
    route({
      method: "GET",
      path: "/v3/rollouts/:rollout_id",
      operation: "getRollout",
      summary: "Read a roll-out",
      tag,
      access,
      answer: rolloutAnswer,
      handle: async (call) => ({ rollout: await render(await findRollout(needs, call, call.params.rollout_id)) }),
    }),
    route({
      method: "GET",
      path: "/v3/rollouts/:rollout_id/devices",
      operation: "listRolloutDevices",
      summary: "List the devices of a roll-out, by stage",
      tag,
      access,
      query: { ...paging, "state.in": listOf("Only devices in one of these states.", ROLLOUT_DEVICE_STATES) },
      answer: listAnswer("devices", rolloutDeviceSchema),
      handle: async (call) => {
        const { id } = await findRollout(needs, call, call.params.rollout_id);
        const { items, total } = await needs.rollouts.devices(
          id,
          { states: call.query["state.in"] },
          pageOf(call.query),
        );
        return { devices: items.map(renderRolloutDevice), total_count: total };
      },
    }),
    pause,
    resume,
    abort,
  ];
}
