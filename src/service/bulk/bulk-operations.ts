// One command for many devices: begin it, see how far it is, end it.
import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import { type BulkCommand, MEMBER_STATES } from "#core/bulk/bulk-command.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { CREATE_HEADERS, idempotencyKey } from "#service/command/command-headers.ts";
import { dryRunSchema } from "#service/command/dry-run-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import type { Operations } from "#service/operation/perform.ts";
import { listOf, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { described, listAnswer, nullable } from "#service/operation/wire.ts";
import type { Call } from "#service/ports.ts";
import { bulkSchema, memberSchema, newBulkSchema, parseBulk, renderBulk, renderMember } from "./bulk-wire.ts";
import { type CreateBulkNeeds, createBulk, membersOf } from "./create-bulk.ts";
import { refusalOf } from "./refusal-of.ts";

export interface BulkNeeds extends CreateBulkNeeds {
  readonly operations: Pick<Operations, "perform">;
}

const tag = "Commands";
const level = "readonly";
const answer = Type.Object({ bulk: bulkSchema }, { additionalProperties: false });
/** Devices that one dry run looks at. */
const MAX_TRIED = 200;

export function bulkOperations(needs: BulkNeeds): readonly Operation[] {
  const render = async (bulk: BulkCommand) => renderBulk(bulk, await needs.bulks.counts(bulk.id));
  return [
    operation({
      method: "POST",
      path: "/v3/commands/bulk",
      name: "createBulkCommand",
      summary: "Run a command on many devices",
      description:
        "Names the devices, or filters them by site, profile and blueprint: then those are chosen whose blueprint has the command. Each device has its own result; one that the caller may not command is refused, and the others go on. Answers at once. The header Idempotency-Key makes a repetition safe.",
      tag,
      level,
      headers: CREATE_HEADERS,
      body: newBulkSchema,
      answer,
      run: async (call) => {
        const order = { input: parseBulk(call.body), idempotencyKey: idempotencyKey(call), scheduleId: undefined };
        return { bulk: await render(await createBulk(needs, call, order)) };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/commands/bulk/dry_run",
      name: "dryRunBulkCommand",
      summary: "Try a command on many devices without running it",
      description: `Does for each device what a dry run of the command does. At most ${MAX_TRIED} devices.`,
      tag,
      level,
      body: newBulkSchema,
      answer: Type.Object(
        {
          devices: Type.Array(
            described("BulkDryRun", "What would become of one device.", {
              device: Type.String(),
              device_id: nullable(Type.String()),
              dry_run: nullable(dryRunSchema),
              code: nullable(Type.String({ description: "The code of the refusal." })),
              message: nullable(Type.String()),
            }),
          ),
        },
        { additionalProperties: false },
      ),
      run: async (call) => ({ devices: await tryEach(needs, call, parseBulk(call.body)) }),
    }),
    operation({
      method: "GET",
      path: "/v3/commands/bulk",
      name: "listBulkCommands",
      summary: "List bulk commands, newest first",
      description: "The caller's own. With level owner and all sites: of everybody. They are kept for 90 days.",
      tag,
      level,
      query: paging,
      answer: listAnswer("bulks", bulkSchema),
      run: async (call) => {
        const whose = seesAll(call) ? undefined : call.caller.tokenId;
        const { items, total } = await needs.bulks.list(whose, pageOf(call.query));
        return { bulks: await Promise.all(items.map(render)), total_count: total };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/commands/bulk/:bulk_id",
      name: "getBulkCommand",
      summary: "Read a bulk command and its progress",
      tag,
      level,
      answer,
      run: async (call) => ({ bulk: await render(await visibleBulk(needs, call, call.params.bulk_id)) }),
    }),
    operation({
      method: "GET",
      path: "/v3/commands/bulk/:bulk_id/devices",
      name: "listBulkDevices",
      summary: "List the devices of a bulk command",
      tag,
      level,
      query: { ...paging, "state.in": listOf("Only devices in one of these states.", MEMBER_STATES) },
      answer: listAnswer("devices", memberSchema),
      run: async (call) => {
        const { id } = await visibleBulk(needs, call, call.params.bulk_id);
        const filter = { states: call.query["state.in"] };
        const { items, total } = await needs.bulks.members(id, filter, pageOf(call.query));
        return { devices: items.map(renderMember), total_count: total };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/commands/bulk/:bulk_id/cancel",
      name: "cancelBulkCommand",
      summary: "Cancel a bulk command",
      description:
        "No further device begins. Executions that wait for their device end; devices that have begun are asked, where their blueprint says how.",
      tag,
      level,
      answer,
      run: async (call) => {
        const bulk = await visibleBulk(needs, call, call.params.bulk_id);
        const trail = auditTrail(needs, call, { target: {}, details: { bulk_id: bulk.id, command: bulk.name } });
        const turned = await needs.bulks.turn(bulk.id, { to: "CANCELLED", reason: undefined }, trail);
        const now = turned ?? (await visibleBulk(needs, call, bulk.id));
        if (now.state !== "CANCELLED") throw refuse("not_cancellable", `the bulk command has ended: ${now.state}`);
        return { bulk: await render(now) };
      },
    }),
  ];
}

const seesAll = ({ caller }: Pick<Call, "caller">) => caller.sites === "all" && allows(caller.level, "owner");

/** The refusal is the same whether it does not exist or the caller may not see it. */
async function visibleBulk(
  needs: Pick<BulkNeeds, "bulks">,
  call: Pick<Call, "caller">,
  id: string,
): Promise<BulkCommand> {
  const bulk = await needs.bulks.find(id);
  const isVisible = bulk?.createdBy.tokenId === call.caller.tokenId || seesAll(call);
  if (bulk === undefined || !isVisible) throw refuse("not_found", `there is no bulk command ${id.slice(0, 80)}`);
  return bulk;
}

async function tryEach(needs: BulkNeeds, call: Call, input: ReturnType<typeof parseBulk>) {
  const members = await membersOf(needs, call, input);
  if (members.length > MAX_TRIED) {
    throw refuse("invalid_body", `a dry run has at most ${MAX_TRIED} devices`, { pointer: "/devices" });
  }
  const tried = [];
  for (const { member } of members) {
    const { device, deviceId, code, message } = member;
    const head = { device, device_id: deviceId ?? null };
    if (deviceId === undefined) tried.push({ ...head, dry_run: null, code: code ?? null, message: message ?? null });
    else tried.push({ ...head, ...(await tryOne(needs, call, { deviceId, input })) });
  }
  return tried;
}

async function tryOne(
  { operations }: BulkNeeds,
  call: Call,
  { deviceId, input }: { readonly deviceId: string; readonly input: ReturnType<typeof parseBulk> },
) {
  const body = { name: input.name, arguments: input.arguments };
  const { caller, requestId, remoteAddress } = call;
  const inner: Call = { caller, requestId, remoteAddress, operation: "dryRunCommand" };
  try {
    const answered = await operations.perform(inner, "dryRunCommand", { params: { device_id: deviceId }, body });
    return { ...(answered as { readonly dry_run: object }), code: null, message: null };
  } catch (error) {
    return { dry_run: null, ...refusalOf(error) };
  }
}
