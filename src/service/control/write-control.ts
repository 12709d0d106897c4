import { hasEnded } from "#core/command/execution.ts";
import type { Control } from "#core/control/control.ts";
import type { Write } from "#core/control/control-writer.ts";
import type { ControlCall } from "#core/control/declared-control.ts";
import { writeCalls } from "#core/control/write-calls.ts";
import { type CreateNeeds, createExecution } from "#service/command/create-execution.ts";
import type { Call } from "#service/ports.ts";

export interface DeviceWrite {
  readonly deviceId: string;
  readonly control: Control;
  readonly write: Write;
  /** The claim that it is for. */
  readonly claimId: string | undefined;
  /** How long the device may take: not longer than the lease. */
  readonly withinMs: number;
  /** Only a repetition, which need not be kept. */
  readonly isRefresh: boolean;
}

/** Time beyond the deadline of an execution, by which its end is recorded. */
const RECORD_MS = 5_000;

/** Tells the device what was decided, by ordinary executions. False if it did not succeed. */
export async function writeControl(needs: CreateNeeds, given: DeviceWrite, signal: AbortSignal): Promise<boolean> {
  for (const call of writeCalls(given.control, given.write)) {
    if (!(await execute(needs, { ...given, call }, signal))) return false;
  }
  return true;
}

async function execute(
  needs: CreateNeeds,
  { deviceId, call, claimId, withinMs, isRefresh }: DeviceWrite & { readonly call: ControlCall },
  signal: AbortSignal,
): Promise<boolean> {
  const responseTimeoutMs = Math.min(needs.responseTimeoutMs, withinMs);
  const execution = await createExecution({ ...needs, responseTimeoutMs }, callBy(claimId), {
    device: deviceId,
    name: call.command,
    arguments: Object.fromEntries(call.arguments),
    ephemeral: isRefresh,
    isRepetition: isRefresh,
    idempotencyKey: undefined,
    withLog: false,
  });
  const ended = hasEnded(execution.state)
    ? execution
    : await needs.dispatcher.waitForEnd(execution, responseTimeoutMs + RECORD_MS, signal);
  return ended?.state === "SUCCESS";
}

/** The audit log says that it was the control, and for which claim. */
function callBy(claimId: string | undefined): Call {
  return {
    caller: { tokenId: "control", tokenName: "control", level: "system", sites: "all" },
    operation: "control",
    requestId: claimId ?? "fallback",
    remoteAddress: "local",
    door: "busbar",
  };
}
