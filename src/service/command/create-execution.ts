import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { traitsOf } from "#core/command/command-traits.ts";
import type { Execution } from "#core/command/execution.ts";
import { type CommandInput, hideSensitive, type Plan, planCommand } from "#core/command/plan-command.ts";
import { IDEMPOTENCY_LIFETIME_MS } from "#core/command/retention.ts";
import type { Device } from "#core/device/device.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { checkJsonArguments } from "#service/command/check-json-arguments.ts";
import type { OpenUse } from "#service/command/open-executions.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { CommandChannel } from "#service/ports/carrier.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";
import type { Idempotency } from "#service/ports/execution-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { RuleCauses } from "#service/rule/rule-causes.ts";
import type { ExecutionTraces } from "#service/trace/execution-traces.ts";
import type { CommandDispatcher } from "./command-dispatcher.ts";

export interface CreateNeeds extends StoreNeeds {
  readonly catalog: BlueprintCatalog;
  readonly checkJson: CheckJsonValue;
  readonly responseTimeoutMs: number;
  /** Hears of commands that callers execute. Undefined for commands of the control itself. */
  readonly directCommands: DirectCommands | undefined;
}

/** Takes a command on a controlled argument for a claim of its caller. */
interface DirectCommands {
  began(command: BegunCommand, call: Pick<Call, "caller" | "scheduleId" | "door">): void;
}

export interface BegunCommand {
  readonly id: string;
  readonly blueprint: Blueprint;
  readonly plan: Plan;
}

export interface ExecutionInput extends CommandInput {
  /** Id or slug. */
  readonly device: string;
  readonly idempotencyKey: string | undefined;
  /** The answer includes the log, which requires the command's read level. */
  readonly withLog: boolean;
  /** Where it was chosen before, so that a repetition is known. */
  readonly id?: string;
  /** The bulk command that it belongs to, which has the audit entry for all. */
  readonly bulkId?: string;
  /** What the audit entry says besides the command. */
  readonly about?: Readonly<Record<string, string>> | undefined;
  /** Says once more what the device was told, which is not in the audit log. */
  readonly isRepetition?: boolean;
}

/** Limit for one device. */
export const MAX_OPEN = 1_000;
const MAX_OPEN_BYTES = 16 * 1024 * 1024;
/** Limit for the devices of one site. */
const MAX_OPEN_OF_SITE = 20_000;
const MAX_OPEN_BYTES_OF_SITE = 128 * 1024 * 1024;
/** Limit for all devices: each open execution has a timer. */
const MAX_OPEN_IN_ALL = 50_000;

/**
 * An execution is stored before it is sent: a crash between the two leaves a NEW execution that times out, not a lost
 * one.
 */
export async function createExecution(needs: CreateNeeds, call: Call, input: ExecutionInput): Promise<Execution> {
  const { device, blueprint, plan } = await prepareExecution(needs, call, input);
  const createdAt = needs.now();
  const id = input.id ?? needs.newId();
  // Before it is stored: it may end before the answer.
  needs.directCommands?.began({ id, blueprint, plan }, call);
  return await storeExecution(needs, call, {
    device,
    blueprint,
    plan,
    id,
    name: input.name,
    ephemeral: input.ephemeral,
    createdAt,
    deadline: instant(createdAt + needs.responseTimeoutMs),
    idempotency: idempotencyOf(needs, call, { input, createdAt }),
    about: input.about,
    isRepetition: input.isRepetition === true,
    ...(input.bulkId !== undefined && { bulkId: input.bulkId }),
  });
}

/** What is decided before anything is stored. */
export interface PreparedExecution {
  readonly device: Device;
  readonly blueprint: Blueprint;
  readonly plan: Plan;
}

/** Finds everything that the command needs, and refuses it. A dry run does the same, and asks the interlocks, too. */
export async function prepareExecution(
  needs: CreateNeeds,
  call: Call,
  input: ExecutionInput,
): Promise<PreparedExecution> {
  const device = await visibleDevice(needs, call, input.device);
  if (device.blueprintId === undefined) {
    throw refuse("command_not_found", `device ${device.slug} has no blueprint, so it has no commands`);
  }
  const known = await needs.catalog.get(device.blueprintId);
  const checkJson = await checkJsonArguments(needs, call, { blueprint: known.blueprint, input });
  const plan = planCommand(known.blueprint, call.caller.level, { input, checkJson: () => checkJson });
  if (input.withLog && !allows(call.caller.level, plan.command.readAccessLevel)) {
    const needed = plan.command.readAccessLevel;
    throw refuse("forbidden", `reading the log of ${plan.command.id} takes access level ${needed}; nothing was run`, {
      needed,
    });
  }
  requireRoom(needs, device, plan);
  return { device, blueprint: known.blueprint, plan };
}

/** Refuses what an interlock of the site does not allow. */
interface CommandGuard {
  permit(command: Omit<BegunCommand, "id"> & { readonly device: Device }): Promise<void>;
}

export interface StoreNeeds extends Pick<Needs, "devices" | "executions" | "seal" | "now" | "newId"> {
  readonly channel: CommandChannel;
  readonly dispatcher: CommandDispatcher;
  readonly children: Pick<ChildRoutes, "place">;
  readonly executionTraces: Pick<ExecutionTraces, "begun">;
  readonly ruleCauses: Pick<RuleCauses, "executed">;
  readonly commandGuard: CommandGuard;
}

export interface PlannedExecution extends Pick<Execution, "id" | "ephemeral" | "createdAt" | "deadline" | "bulkId"> {
  readonly device: Device;
  readonly blueprint: Blueprint;
  readonly plan: Plan;
  /** As sent. */
  readonly name: string;
  readonly idempotency: Idempotency | undefined;
  readonly about?: ExecutionInput["about"];
  readonly isRepetition?: boolean;
}

/** Stores an execution whose command was planned, and has it handed over. */
export async function storeExecution(
  needs: StoreNeeds,
  call: Call,
  { device, blueprint, plan, name, idempotency, about, isRepetition, ...given }: PlannedExecution,
): Promise<Execution> {
  requireRoom(needs, device, plan);
  try {
    await needs.commandGuard.permit({ device, blueprint, plan });
  } catch (error) {
    // Who repeats a call gets its execution, whatever holds by now.
    const first = { deviceId: device.id, createdAt: given.createdAt };
    const earlier = idempotency && (await needs.executions.earlier(first, idempotency));
    if (earlier === undefined) throw error;
    return earlier;
  }
  if (device.type === "CHILD") await needs.children.place(device);
  const execution: Execution = {
    ...given,
    deviceId: device.id,
    siteId: device.siteId,
    state: "NEW",
    request: {
      name,
      manifestName: plan.command.id,
      arguments: hideSensitive(plan.command, plan.arguments),
    },
    response: undefined,
    readLevel: plan.command.readAccessLevel,
    revision: 1,
    isRemote: false,
    caller: { tokenId: call.caller.tokenId, name: call.caller.tokenName, scheduleId: call.scheduleId, door: call.door },
  };
  const open = {
    execution,
    sealed: traitsOf(plan.command).isSensitive
      ? needs.seal.seal(JSON.stringify(plan.arguments), execution.id)
      : undefined,
    attempted: needs.channel.isReady(device.id),
  };
  const trail = auditTrail(needs, call, {
    target: { siteId: device.siteId, deviceId: device.id },
    details: { execution_id: execution.id, command: plan.command.id, ...about },
  });
  // Before it is stored: its event may come before the answer.
  needs.executionTraces.begun(execution, call.trace);
  needs.ruleCauses.executed(execution.id, call.causes);
  const stored = await needs.executions.insert(
    { ...open, idempotency, maxOpen: MAX_OPEN, maxOpenBytes: MAX_OPEN_BYTES },
    isRepetition === true || execution.bulkId !== undefined ? undefined : trail,
  );
  if (stored.isNew) needs.dispatcher.accept(open);
  else needs.ruleCauses.executed(stored.execution.id, call.causes);
  return stored.execution;
}

function requireRoom({ dispatcher }: StoreNeeds, { siteId }: Device, plan: Plan): void {
  if (dispatcher.openCount >= MAX_OPEN_IN_ALL) {
    throw refuse("overloaded", `${MAX_OPEN_IN_ALL} executions of all devices are still open; try again in a moment`);
  }
  requireRoomOfSite(dispatcher.openOf(siteId), approximateBytes(plan.arguments));
}

function requireRoomOfSite({ count, bytes }: OpenUse, more: number): void {
  if (count >= MAX_OPEN_OF_SITE) {
    throw refuse("queue_full", `${count} executions of this site's devices are still open; wait for some to end`);
  }
  if (bytes + more > MAX_OPEN_BYTES_OF_SITE) {
    const message = `the arguments of this site's open executions would hold ${bytes + more} bytes, more than ${MAX_OPEN_BYTES_OF_SITE}; wait for some to end`;
    throw refuse("queue_full", message);
  }
}

function idempotencyOf(
  needs: Pick<Needs, "seal">,
  call: Call,
  { input, createdAt }: { readonly input: ExecutionInput; readonly createdAt: number },
): Idempotency | undefined {
  if (input.idempotencyKey === undefined) return undefined;
  const request = JSON.stringify([input.name, input.arguments, input.ephemeral], sortedKeys);
  return {
    tokenId: call.caller.tokenId,
    key: input.idempotencyKey,
    // Keyed: the plain digest of a short secret, such as a PIN among the arguments, could be guessed.
    requestDigest: needs.seal.fingerprint(request, "idempotency"),
    expiresAt: instant(createdAt + IDEMPOTENCY_LIFETIME_MS),
  };
}

/** The order of fields means nothing in JSON, and some clients do not preserve it. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
