import { refuse } from "#core/app-error.ts";
import { DEVICE_TYPES } from "#core/device/device.ts";
import {
  type DeviceCounts,
  type ListedRolloutDevice,
  OPEN_DEVICE_STATES,
  ROLLOUT_DEVICE_STATES,
  ROLLOUT_STATES,
  type Rollout,
} from "#core/rollout/rollout.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { NewRollout } from "#service/rollout/create-rollout.ts";

const ids = (description: string) =>
  Type.Optional(Type.Array(id("Identifier."), { minItems: 1, maxItems: 10_000, description }));
const duration = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | number>({ anyOf: [{ type: "string", maxLength: 50 }, { type: "integer" }], description }),
  );

const DEFAULT_STAGES = ["1", "10%", "100%"];
const DEFAULT_WATCH_MS = 10 * 60_000;
const DEFAULT_TIMEOUT_MS = 60 * 60_000;
const MAX_MS = 30 * 86_400_000;

export const newRolloutSchema = strict("NewRollout", {
  name: Type.Optional(name("What the roll-out is called. Without it: as the blueprint.")),
  blueprint_id: id("What the devices get."),
  devices: strict("RolloutFilter", {
    device_ids: ids("These devices, by id or slug."),
    site_ids: ids("Devices of these sites."),
    blueprint_ids: ids("Devices that have one of these blueprints now."),
    types: Type.Optional(Type.Array(oneOf(DEVICE_TYPES), { minItems: 1, maxItems: DEVICE_TYPES.length })),
  }),
  stages: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 10 }), {
      minItems: 1,
      maxItems: 20,
      description: `How many devices have the blueprint after each stage, such as 5 or 10%. Without it: ${DEFAULT_STAGES.join(", ")}.`,
    }),
  ),
  watch: duration("How long a device has to be well before it counts as done, such as 10m, or seconds. Default 10m."),
  timeout: duration(
    "How long a device may take to get the blueprint, such as 1h, or seconds. Time in which its gateway is away does not count. Default 1h.",
  ),
  max_failures: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: "With more failed devices the roll-out stops. Default 0.",
    }),
  ),
});

export function parseNewRollout(body: Static<typeof newRolloutSchema>): NewRollout {
  const { device_ids: names, site_ids: siteIds, blueprint_ids: blueprintIds, types } = body.devices;
  if ([names, siteIds, blueprintIds, types].every((one) => one === undefined)) {
    throw refuse("invalid_body", "name at least one of device_ids, site_ids, blueprint_ids and types", {
      pointer: "/devices",
    });
  }
  return {
    name: body.name,
    blueprintId: body.blueprint_id,
    devices: { names, siteIds, blueprintIds, types },
    stages: body.stages ?? DEFAULT_STAGES,
    watchMs: milliseconds(body.watch, "watch", DEFAULT_WATCH_MS),
    timeoutMs: milliseconds(body.timeout, "timeout", DEFAULT_TIMEOUT_MS),
    maxFailures: body.max_failures ?? 0,
  };
}

function milliseconds(given: string | number | undefined, field: string, fallback: number): number {
  if (given === undefined) return fallback;
  const parsed = typeof given === "string" ? parseDuration(given) : undefined;
  const ms = typeof given === "number" ? given * 1_000 : parsed === undefined ? -1 : toMilliseconds(parsed);
  if (ms >= 0 && ms <= MAX_MS) return ms;
  throw refuse("invalid_body", `${field} must be a duration up to 30d, such as 10m, or seconds`, {
    pointer: `/${field}`,
  });
}

const count = Type.Integer({ minimum: 0 });

export const rolloutSchema = described("Rollout", "A blueprint that many devices get, in stages.", {
  id: id("Roll-out identifier."),
  name: Type.String(),
  blueprint_id: Type.String(),
  state: oneOf(ROLLOUT_STATES, { description: "HALTED: too many devices have failed; it goes on when it is resumed." }),
  reason: nullable(Type.String({ description: "Why it is halted." })),
  stage: Type.Integer({ description: "The stage that runs, or ran last, from 1." }),
  stages: Type.Array(Type.Integer(), { description: "How many devices have the blueprint after each stage." }),
  watch_seconds: Type.Integer(),
  timeout_seconds: Type.Integer(),
  max_failures: count,
  devices: strict("RolloutCounts", {
    total: count,
    waiting: count,
    away: Type.Integer({
      minimum: 0,
      description: "Those of the waiting devices of this stage whose gateway is not connected.",
    }),
    assigning: count,
    watched: count,
    done: count,
    failed: count,
    skipped: count,
  }),
  created_by: Type.String({ description: "Name of the token that created it." }),
  created_at: timestamp,
  updated_at: timestamp,
});

export const rolloutAnswer = Type.Object({ rollout: rolloutSchema }, { additionalProperties: false });

export function renderRollout(rollout: Rollout, counts: DeviceCounts, away: number): Static<typeof rolloutSchema> {
  return {
    id: rollout.id,
    name: rollout.name,
    blueprint_id: rollout.blueprintId,
    state: rollout.state,
    reason: rollout.reason ?? null,
    stage: rollout.stage + 1,
    stages: [...rollout.stages],
    watch_seconds: Math.round(rollout.watchMs / 1_000),
    timeout_seconds: Math.round(rollout.timeoutMs / 1_000),
    max_failures: rollout.maxFailures,
    devices: {
      total: Object.values(counts).reduce((sum, one) => sum + one, 0),
      waiting: counts.WAITING,
      away,
      assigning: counts.ASSIGNING,
      watched: counts.WATCHED,
      done: counts.DONE,
      failed: counts.FAILED,
      skipped: counts.SKIPPED,
    },
    created_by: rollout.createdBy.tokenName,
    created_at: renderInstant(rollout.createdAt),
    updated_at: renderInstant(rollout.updatedAt),
  };
}

export const rolloutDeviceSchema = strict("RolloutDevice", {
  device_id: Type.String(),
  site_id: Type.String(),
  stage: Type.Integer({ description: "From 1." }),
  state: oneOf(ROLLOUT_DEVICE_STATES),
  since: timestamp,
  reason: nullable(Type.String({ description: "Why it failed, was skipped, or waits although it is its turn." })),
  former_blueprint_id: nullable(Type.String()),
});

export function renderRolloutDevice(device: ListedRolloutDevice): Static<typeof rolloutDeviceSchema> {
  return {
    device_id: device.deviceId,
    site_id: device.siteId,
    stage: device.stage + 1,
    state: device.state,
    since: renderInstant(device.since),
    reason:
      device.reason ??
      (device.isAway && OPEN_DEVICE_STATES.some((state) => state === device.state) ? "its gateway is away" : null),
    former_blueprint_id: device.formerBlueprintId ?? null,
  };
}
