import type { AuditActor, AuditEntry, AuditTarget } from "#core/access/audit-entry.ts";
import type { Caller } from "#core/access/caller.ts";
import type { Call, Needs } from "#service/ports.ts";

interface Deed {
  readonly target: AuditTarget;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The audit entry of a change. It is stored together with the change. */
export function auditTrail(needs: Pick<Needs, "now" | "newId">, call: Call, deed: Deed): AuditEntry {
  const at = needs.now();
  return {
    id: call.auditId ?? needs.newId(),
    at,
    actor: actorOf(call.caller),
    door: call.door,
    action: call.operation,
    target: deed.target,
    outcome: "OK",
    code: undefined,
    requestId: call.requestId,
    remoteAddress: call.remoteAddress,
    details: deed.details ?? {},
    count: 1,
    lastAt: at,
  };
}

export function actorOf({ tokenId, tokenName, accountId }: Caller): AuditActor {
  return { tokenId, name: tokenName, ...(accountId !== undefined && { accountId }) };
}
