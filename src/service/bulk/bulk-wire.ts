import {
  BULK_STATES,
  type BulkCommand,
  type BulkMember,
  MAX_BULK_DEVICES,
  MAX_BULK_PARALLEL,
  MAX_BULK_RATE,
  MEMBER_STATES,
  type MemberCounts,
} from "#core/bulk/bulk-command.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { BulkInput } from "./create-bulk.ts";

const anyObject = (description: string) => Type.Object({}, { additionalProperties: true, description });
const names = (description: string, maxItems = 100) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems, description });

const bulkDevicesSchema = strict("BulkDevices", {
  device_ids: Type.Optional(names("Ids or slugs. Without a filter.", MAX_BULK_DEVICES)),
  site_ids: Type.Optional(names("Devices of these sites.")),
  profiles: Type.Optional(names("Devices that implement all of these profiles.")),
  blueprint_ids: Type.Optional(names("Devices that have one of these blueprints.")),
});

const DEFAULTS = { rate: 10, parallel: 10 };

const bulkFields = {
  name: Type.String({ minLength: 1, maxLength: 200, description: "Command name: the manifest's, or an alias." }),
  arguments: Type.Optional(anyObject("Argument name to value.")),
  devices: bulkDevicesSchema,
  rate: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_BULK_RATE,
      description: "How many devices begin per second. Default: 10.",
    }),
  ),
  parallel: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_BULK_PARALLEL, description: "How many run at once. Default: 10." }),
  ),
  stop_after: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_BULK_DEVICES,
      description: "With so many failures, refusals included, no further device begins. Without it all begin.",
    }),
  ),
};

export const newBulkSchema = strict("NewBulkCommand", bulkFields);

const count = Type.Integer({ minimum: 0 });

export const bulkSchema = described("BulkCommand", "One command for many devices.", {
  id: id("Identifier; executions name it as bulk_id."),
  name: Type.String({ description: "Of the command, as sent." }),
  arguments: anyObject("Sensitive ones read ***."),
  rate: Type.Integer(),
  parallel: Type.Integer(),
  stop_after: nullable(Type.Integer()),
  state: oneOf(BULK_STATES, { description: "STOPPED: by itself. Devices that had begun go on until `ended_at`." }),
  reason: nullable(Type.String({ description: "Why it stopped." })),
  created_by: Type.String({ description: "Name of the token." }),
  created_at: timestamp,
  ended_at: nullable(timestamp),
  schedule_id: nullable(Type.String({ description: "The schedule that began it." })),
  devices: strict("BulkCounts", {
    total: count,
    waiting: count,
    running: count,
    success: count,
    failed: count,
    refused: count,
    skipped: count,
  }),
});

export const memberSchema = described("BulkDevice", "What became of one device of a bulk command.", {
  device: Type.String({ description: "As it was named." }),
  device_id: nullable(Type.String({ description: "null: there is no such device for the caller." })),
  state: oneOf(MEMBER_STATES),
  execution_id: nullable(Type.String()),
  begun_at: nullable(timestamp),
  code: nullable(Type.String({ description: "The state of the execution, or the code of the refusal." })),
  message: nullable(Type.String()),
});

export function parseBulk(body: Static<typeof newBulkSchema>): BulkInput {
  const { device_ids, site_ids, profiles, blueprint_ids } = body.devices;
  return {
    name: body.name,
    arguments: (body.arguments ?? {}) as Readonly<Record<string, unknown>>,
    devices: { names: device_ids, siteIds: site_ids, profiles, blueprintIds: blueprint_ids },
    rate: body.rate ?? DEFAULTS.rate,
    parallel: body.parallel ?? DEFAULTS.parallel,
    stopAfter: body.stop_after,
  };
}

export function renderBulk(bulk: BulkCommand, counts: MemberCounts) {
  return {
    id: bulk.id,
    name: bulk.name,
    arguments: bulk.shown,
    rate: bulk.rate,
    parallel: bulk.parallel,
    stop_after: bulk.stopAfter ?? null,
    state: bulk.state,
    reason: bulk.reason ?? null,
    created_by: bulk.createdBy.tokenName,
    created_at: renderInstant(bulk.createdAt),
    ended_at: bulk.endedAt === undefined ? null : renderInstant(bulk.endedAt),
    schedule_id: bulk.scheduleId ?? null,
    devices: {
      total: Object.values(counts).reduce((sum, one) => sum + one, 0),
      waiting: counts.WAITING,
      running: counts.RUNNING,
      success: counts.SUCCESS,
      failed: counts.FAILED,
      refused: counts.REFUSED,
      skipped: counts.SKIPPED,
    },
  };
}

export function renderMember(member: BulkMember) {
  return {
    device: member.device,
    device_id: member.deviceId ?? null,
    state: member.state,
    execution_id: member.executionId ?? null,
    begun_at: member.begunAt === undefined ? null : renderInstant(member.begunAt),
    code: member.code ?? null,
    message: member.message ?? null,
  };
}
