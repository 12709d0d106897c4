import { OPEN_DEVICE_STATES, ROLLOUT_DEVICE_STATES, type Rollout } from "#core/rollout/rollout.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice, listOf, pageOf, paging } from "#service/operation/query.ts";
import { listAnswer } from "#service/operation/wire.ts";
import { createRollout, findRollout, type RolloutNeeds, turnRollout } from "#service/rollout/create-rollout.ts";
import {
  newRolloutSchema,
  parseNewRollout,
  renderRollout,
  renderRolloutDevice,
  rolloutAnswer,
  rolloutDeviceSchema,
  rolloutSchema,
} from "#service/rollout/rollout-wire.ts";

const tag = "Roll-outs";
const level = "installer";

export function rolloutOperations(needs: RolloutNeeds): readonly Operation[] {
  const render = async (rollout: Rollout) => {
    const { id, stage } = rollout;
    const filter = { states: OPEN_DEVICE_STATES, stage, isAway: true } as const;
    const { total: away } = await needs.rollouts.devices(id, filter, { limit: 0, offset: 0 });
    return renderRollout(rollout, await needs.rollouts.counts(id), away);
  };
  const turnRoute = (turn: "pause" | "abort", { summary, description }: { summary: string; description: string }) =>
    operation({
      method: "POST",
      path: `/v3/rollouts/:rollout_id/${turn}`,
      name: `${turn}Rollout`,
      summary,
      description,
      tag,
      level,
      answer: rolloutAnswer,
      run: async (call) => ({
        rollout: await render(await turnRollout(needs, call, { id: call.params.rollout_id, turn })),
      }),
    });
  const pause = turnRoute("pause", {
    summary: "Pause a roll-out",
    description:
      "What waits at gateways is withdrawn, and asked for again when the roll-out is resumed. A device whose gateway is just giving it the blueprint gets it.",
  });
  const resume = operation({
    method: "POST",
    path: "/v3/rollouts/:rollout_id/resume",
    name: "resumeRollout",
    summary: "Resume a roll-out that is paused or halted",
    description:
      "Devices that have failed so far are accepted and not tried again. With `without_away`, the roll-out may also be running.",
    tag,
    level,
    query: {
      without_away: choice("`true`: leaves out the devices of this stage whose gateway is not connected.", [
        "true",
        "false",
      ]),
    },
    answer: rolloutAnswer,
    run: async (call) => {
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
    operation({
      method: "POST",
      path: "/v3/rollouts",
      name: "createRollout",
      summary: "Give a blueprint to many devices, in stages",
      description:
        "Each device of a stage has to be well for a while before the next stage begins: online if it was before, without a new alert of severity error and without an error in its log. When too many are not, the roll-out stops.",
      tag,
      level,
      body: newRolloutSchema,
      answer: rolloutAnswer,
      run: async (call) => ({ rollout: await render(await createRollout(needs, call, parseNewRollout(call.body))) }),
    }),
    operation({
      method: "GET",
      path: "/v3/rollouts",
      name: "listRollouts",
      summary: "List roll-outs, newest first",
      tag,
      level,
      query: paging,
      answer: listAnswer("rollouts", rolloutSchema),
      run: async (call) => {
        requireAllSites(call.caller);
        const { items, total } = await needs.rollouts.list(pageOf(call.query));
        return { rollouts: await Promise.all(items.map(render)), total_count: total };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/rollouts/:rollout_id",
      name: "getRollout",
      summary: "Read a roll-out",
      tag,
      level,
      answer: rolloutAnswer,
      run: async (call) => ({ rollout: await render(await findRollout(needs, call, call.params.rollout_id)) }),
    }),
    operation({
      method: "GET",
      path: "/v3/rollouts/:rollout_id/devices",
      name: "listRolloutDevices",
      summary: "List the devices of a roll-out, by stage",
      tag,
      level,
      query: { ...paging, "state.in": listOf("Only devices in one of these states.", ROLLOUT_DEVICE_STATES) },
      answer: listAnswer("devices", rolloutDeviceSchema),
      run: async (call) => {
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
