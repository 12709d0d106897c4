import type { Writer } from "#store/records/writer.ts";
import type { WRITES } from "#store/records/writes.ts";
import type { StorageGate } from "#store/storage-gate.ts";

/**
 * Writes that go on while the disk is full: commands until they end, here and over a link, with the audit entries that a
 * gateway makes of them, everything that deletes, and the few bytes without which a link would end.
 */
const FROM_RESERVE: ReadonlySet<keyof typeof WRITES> = new Set<keyof typeof WRITES>([
  "insertExecution",
  "markAttempted",
  "unmarkAttempted",
  "recordResponse",
  "expireExecution",
  "sweepExecutions",
  "applyRemoteExecution",
  "giveExecutionToOwner",
  "takeExecutionFromOwner",
  "loseSightOfExecution",
  "endLostExecution",
  "forgetRevisions",
  "copyAuditEntry",
  "makeEpoch",
  "noteCloud",
  "noteContact",
  "putCloudTokens",
  "putNextCredential",
  "useNextCredential",
  "acceptCredential",
  "settleCredential",
  "confirmChanges",
  "unmarkHours",
  "noteDropped",
  "noteHistory",
  "noteTaken",
  "noteGatewayGone",
  "putAdminToken",
  "revokeToken",
  "deleteDevice",
  "deleteSite",
  "deleteWebhook",
  "settleDelivery",
  "pruneAlerts",
  "pruneAudit",
  "pruneDeliveries",
  "pruneDeviceLogs",
  "pruneEvents",
]);

/** The same writer, but it asks the gate before each write. */
export function guardWriter<Guarded extends Writer>(writer: Guarded, gate: StorageGate): Guarded {
  const run: Writer["run"] = async (name, input, hints) => {
    const fromReserve = FROM_RESERVE.has(name);
    for (;;) {
      const refusal = gate.refusal(fromReserve);
      if (refusal !== undefined) throw refusal;
      try {
        return await writer.run(name, input, hints);
      } catch (error) {
        // Each failure frees a slice of the reserve, so the loop ends when the reserve does.
        if (!gate.noteFailure(error) || !fromReserve) throw error;
      }
    }
  };
  return { ...writer, run };
}
