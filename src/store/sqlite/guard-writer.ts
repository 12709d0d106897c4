import type { Writer } from "#store/records/writer.ts";
import type { WRITES } from "#store/records/writes.ts";
import type { StorageGate } from "#store/storage-gate.ts";

/**
 * Whether a write goes on while the disk is full, from the reserve. Every write is listed, so that a new one needs a
 * decision: what only deletes or takes access away always goes on. docs/limits.md says the same.
 */
const GOES_ON: Readonly<Record<keyof typeof WRITES, boolean>> = {
  // Commands until they end, here and over a link, with the audit entries that a gateway makes of them.
  insertExecution: true,
  markAttempted: true,
  unmarkAttempted: true,
  recordResponse: true,
  expireExecution: true,
  applyRemoteExecution: true,
  giveExecutionToOwner: true,
  takeExecutionFromOwner: true,
  loseSightOfExecution: true,
  endLostExecution: true,
  copyAuditEntry: true,
  // What deletes, revokes or withdraws, and what makes room.
  revokeToken: true,
  endSession: true,
  endSessionsOfToken: true,
  revokeGateway: true,
  askRotation: true,
  withdrawJoinCode: true,
  withdrawChange: true,
  deleteUplink: true,
  deleteDevice: true,
  deleteSite: true,
  deleteWebhook: true,
  deleteSetting: true,
  deleteCorrection: true,
  deleteCopiedDevice: true,
  deleteCopiedSite: true,
  removeScriptEntry: true,
  sweepExecutions: true,
  pruneAlerts: true,
  pruneAudit: true,
  pruneChanges: true,
  pruneDeliveries: true,
  pruneDeviceLogs: true,
  pruneEvents: true,
  pruneSessions: true,
  forgetRevisions: true,
  confirmChanges: true,
  unmarkHours: true,
  settleDelivery: true,
  // The few bytes without which nobody could sign in, or a link would end.
  putAdminToken: true,
  putCloudTokens: true,
  makeEpoch: true,
  noteCloud: true,
  noteDropped: true,
  noteHistory: true,
  noteContact: true,
  putNextCredential: true,
  useNextCredential: true,
  acceptCredential: true,
  settleCredential: true,
  noteTaken: true,
  noteGatewayGone: true,
  // Everything else that would be stored.
  insertSite: false,
  updateSite: false,
  insertDevice: false,
  updateDevice: false,
  putProperties: false,
  insertBlueprint: false,
  putRetention: false,
  putSetting: false,
  putProfiles: false,
  putCredential: false,
  insertToken: false,
  noteTokenUse: false,
  insertSession: false,
  renewSession: false,
  noteSessionUse: false,
  appendAudit: false,
  putAudit: false,
  appendDeviceLog: false,
  putConfiguration: false,
  insertCorrection: false,
  putSimulation: false,
  putScriptEntry: false,
  recordAlerts: false,
  insertWebhook: false,
  enqueueNotices: false,
  retryDelivery: false,
  appendEvents: false,
  putUplink: false,
  markHours: false,
  insertJoinCode: false,
  joinGateway: false,
  insertRollout: false,
  turnRollout: false,
  beginRolloutStage: false,
  putRolloutDevices: false,
  copySite: false,
  copyDevice: false,
  copyProperties: false,
  copyConfiguration: false,
  copyAlert: false,
  copyLogEntry: false,
  askChange: false,
  settleChange: false,
  grantSite: false,
  noteRefusals: false,
};

/** The same writer, but it asks the gate before each write. */
export function guardWriter<Guarded extends Writer>(writer: Guarded, gate: StorageGate): Guarded {
  const run: Writer["run"] = async (name, input, hints) => {
    const fromReserve = GOES_ON[name];
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
