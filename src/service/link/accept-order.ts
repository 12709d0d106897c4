import { AppError } from "#core/app-error.ts";
import { planCommand } from "#core/command/plan-command.ts";
import { isUuid } from "#core/device/slug.ts";
import type { ExecutionOrder } from "#core/link/messages.ts";
import { instant } from "#core/time/instant.ts";
import { parseTraceContext } from "#core/trace/trace-context.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { type CreateNeeds, type StoreNeeds, storeExecution } from "#service/command/create-execution.ts";
import type { Call } from "#service/ports.ts";

export interface AcceptNeeds extends StoreNeeds, Pick<CreateNeeds, "directCommands"> {
  readonly catalog: BlueprintCatalog;
}

/**
 * Stores an execution that was created in the cloud, once, however often it is ordered. Undefined when this gateway owns
 * it from now on, else why it does not.
 */
export async function acceptOrder(needs: AcceptNeeds, order: ExecutionOrder): Promise<string | undefined> {
  const now = needs.now();
  if ((await needs.executions.find(order.deviceId, order.id, now)) !== undefined) return undefined;
  if (order.patienceMs <= 0) return "its time had passed before the gateway got it; it was not started";
  const device = await needs.devices.find(order.deviceId);
  if (device?.blueprintId === undefined) return "the gateway has no such device, or the device has no blueprint";
  try {
    const { blueprint } = await needs.catalog.get(device.blueprintId);
    // The cloud has checked the caller's level and the JSON schemas. The gateway's own blueprint decides about the rest.
    const plan = planCommand(blueprint, "system", { input: order, checkJson: () => () => undefined });
    const call = callOf(order);
    // As for a command that is executed here: it counts as a claim of its caller.
    needs.directCommands?.began({ id: order.id, blueprint, plan }, call);
    await storeExecution(needs, call, {
      device,
      blueprint,
      plan,
      id: order.id,
      name: order.name,
      ephemeral: order.ephemeral,
      createdAt: order.createdAt,
      deadline: instant(now + order.patienceMs),
      idempotency: undefined,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code.startsWith("storage_")) throw error;
    return error.message;
  }
}

function callOf({ id, caller, callerId = "cloud", scheduleId, trace }: ExecutionOrder): Call {
  return {
    caller: { tokenId: callerId, tokenName: caller, level: "system", sites: "all" },
    operation: "createExecution",
    requestId: id,
    remoteAddress: "cloud",
    door: "cloud",
    // It becomes part of a name: anything but an id is none.
    scheduleId: scheduleId !== undefined && isUuid(scheduleId) ? scheduleId : undefined,
    trace: trace && parseTraceContext(trace.traceparent, trace.tracestate),
  };
}
