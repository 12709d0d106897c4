import { alertKey, logKey } from "#core/link/linked-key.ts";
import { alertWrites } from "./alert-writes.ts";
import { auditWrites } from "./audit-writes.ts";
import { blueprintWrites } from "./blueprint-writes.ts";
import { changeWrites } from "./change-writes.ts";
import { configurationWrites } from "./configuration-writes.ts";
import { copyWrites } from "./copy-writes.ts";
import { correctionWrites } from "./correction-writes.ts";
import { deviceLogWrites } from "./device-log-writes.ts";
import { deviceWrites } from "./device-writes.ts";
import { eventWrites } from "./event-writes.ts";
import { executionChangeWrites } from "./execution-changes.ts";
import { executionWrites } from "./execution-writes.ts";
import { type Marks, marked, withMarks } from "./link-marks.ts";
import { gatewayWrites, uplinkWrites } from "./link-writes.ts";
import { profileWrites } from "./profile-writes.ts";
import { retentionWrites } from "./retention-writes.ts";
import { rolloutWrites } from "./rollout-writes.ts";
import { scriptWrites } from "./script-writes.ts";
import { sessionWrites } from "./session-writes.ts";
import { settingWrites } from "./setting-writes.ts";
import { simulationWrites } from "./simulation-writes.ts";
import { siteWrites } from "./site-writes.ts";
import { tokenWrites } from "./token-writes.ts";
import { webhookWrites } from "./webhook-writes.ts";

const ALL = {
  ...siteWrites,
  ...deviceWrites,
  ...blueprintWrites,
  ...profileWrites,
  ...tokenWrites,
  ...sessionWrites,
  ...auditWrites,
  ...executionWrites,
  ...executionChangeWrites,
  ...deviceLogWrites,
  ...configurationWrites,
  ...correctionWrites,
  ...alertWrites,
  ...webhookWrites,
  ...eventWrites,
  ...retentionWrites,
  ...scriptWrites,
  ...simulationWrites,
  ...uplinkWrites,
  ...gatewayWrites,
  ...rolloutWrites,
  ...copyWrites,
  ...changeWrites,
  ...settingWrites,
};

/** What a gateway has to tell its cloud about. Executions have change numbers of their own, audit entries note themselves. */
const MARKS: Marks<typeof ALL> = {
  insertSite: ({ site }) => marked("site", site.id),
  updateSite: ({ id }) => marked("site", id),
  deleteSite: ({ id }) => marked("site", id),
  insertDevice: (_, device) => marked("device", device.id),
  updateDevice: ({ id }) => marked("device", id),
  deleteDevice: ({ id }) => marked("device", id),
  putProperties: ({ deviceId }) => marked("properties", deviceId),
  insertBlueprint: (_, blueprint) => marked("blueprint", blueprint.id),
  putRetention: undefined,
  putSetting: undefined,
  deleteSetting: undefined,
  putProfiles: undefined,
  putCredential: undefined,
  insertToken: undefined,
  putAdminToken: undefined,
  revokeToken: undefined,
  putCloudTokens: undefined,
  noteTokenUse: undefined,
  insertSession: undefined,
  renewSession: undefined,
  endSession: undefined,
  endSessionsOfToken: undefined,
  noteSessionUse: undefined,
  pruneSessions: undefined,
  appendAudit: undefined,
  putAudit: undefined,
  pruneAudit: undefined,
  insertExecution: undefined,
  recordResponse: undefined,
  markAttempted: undefined,
  unmarkAttempted: undefined,
  expireExecution: undefined,
  loseSightOfExecution: undefined,
  endLostExecution: undefined,
  forgetRevisions: undefined,
  giveExecutionToOwner: undefined,
  takeExecutionFromOwner: undefined,
  applyRemoteExecution: undefined,
  sweepExecutions: undefined,
  appendDeviceLog: ({ deviceId }, stored) =>
    stored.map(({ receivedAt }) => ({ kind: "log", key: logKey({ deviceId, receivedAt }) })),
  pruneDeviceLogs: undefined,
  putConfiguration: ({ change }) => marked("configuration", change.deviceId),
  // They travel with their device.
  insertCorrection: ({ deviceId }) => marked("device", deviceId),
  deleteCorrection: ({ deviceId }) => marked("device", deviceId),
  putSimulation: undefined,
  putScriptEntry: undefined,
  removeScriptEntry: undefined,
  recordAlerts: ({ deviceId, changes }) =>
    changes.map(({ alert }) => ({ kind: "alert", key: alertKey({ ...alert, deviceId }) })),
  pruneAlerts: undefined,
  insertWebhook: undefined,
  deleteWebhook: undefined,
  enqueueNotices: undefined,
  settleDelivery: undefined,
  retryDelivery: undefined,
  pruneDeliveries: undefined,
  appendEvents: undefined,
  pruneEvents: undefined,
  makeEpoch: undefined,
  putUplink: undefined,
  deleteUplink: undefined,
  markHours: undefined,
  unmarkHours: undefined,
  noteCloud: undefined,
  noteDropped: undefined,
  noteHistory: undefined,
  noteContact: undefined,
  putNextCredential: undefined,
  useNextCredential: undefined,
  confirmChanges: undefined,
  insertJoinCode: undefined,
  withdrawJoinCode: undefined,
  joinGateway: undefined,
  revokeGateway: undefined,
  grantSite: undefined,
  noteRefusals: undefined,
  askRotation: undefined,
  acceptCredential: undefined,
  settleCredential: undefined,
  noteTaken: undefined,
  noteGatewayGone: undefined,
  insertRollout: undefined,
  turnRollout: undefined,
  beginRolloutStage: undefined,
  putRolloutDevices: undefined,
  copySite: undefined,
  copyDevice: undefined,
  copyProperties: undefined,
  deleteCopiedDevice: undefined,
  deleteCopiedSite: undefined,
  copyConfiguration: undefined,
  copyAlert: undefined,
  copyLogEntry: undefined,
  copyAuditEntry: undefined,
  askChange: undefined,
  settleChange: undefined,
  withdrawChange: undefined,
  pruneChanges: undefined,
};

/** Writes that change nothing that `WriteMemory` remembers, or tell it. */
export const KEEPS_MEMORY: ReadonlySet<keyof typeof ALL> = new Set([
  "insertExecution",
  "recordResponse",
  "markAttempted",
  "giveExecutionToOwner",
  "applyRemoteExecution",
  "copyAuditEntry",
  "noteTaken",
  "appendAudit",
  "putAudit",
  "appendEvents",
  "appendDeviceLog",
  "putProperties",
  "recordAlerts",
  "noteTokenUse",
  "noteSessionUse",
] as const);

/** Every write by name. Each runs alone on the writing thread, inside a transaction. */
export const WRITES = withMarks(ALL, MARKS);
