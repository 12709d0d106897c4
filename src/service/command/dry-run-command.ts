import { refuse } from "#core/app-error.ts";
import { hideSensitive } from "#core/command/plan-command.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import {
  type CreateNeeds,
  type ExecutionInput,
  MAX_OPEN,
  type PreparedExecution,
  prepareExecution,
} from "#service/command/create-execution.ts";
import type { Controls } from "#service/control/controls.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface DryRunNeeds extends CreateNeeds, Pick<Needs, "audit" | "tokens" | "rules"> {
  readonly controlling: Pick<Controls, "foresee">;
}

export interface DryRun extends PreparedExecution {
  /** As sent. */
  readonly name: string;
  /** Sensitive ones are hidden. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly isReachable: boolean;
  readonly claims: Awaited<ReturnType<Controls["foresee"]>>;
}

/** Does everything that an execution does before it is stored. Only the audit entry is stored. */
export async function dryRunCommand(needs: DryRunNeeds, call: Call, input: ExecutionInput): Promise<DryRun> {
  const prepared = await prepareExecution(needs, call, input);
  const { device, plan } = prepared;
  await needs.commandGuard.permit(prepared);
  const open = await needs.executions.open({ deviceId: device.id, limit: MAX_OPEN });
  if (open.length >= MAX_OPEN) {
    throw refuse("queue_full", `${open.length} executions of this device are still open; wait for some to end`);
  }
  const claims = await needs.controlling.foresee(device.id, prepared, call);
  const target = { siteId: device.siteId, deviceId: device.id };
  await needs.audit.append([auditTrail(needs, call, { target, details: { command: plan.command.id } })]);
  return {
    ...prepared,
    name: input.name,
    shown: hideSensitive(plan.command, plan.arguments),
    isReachable: needs.channel.isReady(device.id),
    claims,
  };
}
