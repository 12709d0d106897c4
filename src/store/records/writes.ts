import { alertWrites } from "./alert-writes.ts";
import { auditWrites } from "./audit-writes.ts";
import { blueprintWrites } from "./blueprint-writes.ts";
import { configurationWrites } from "./configuration-writes.ts";
import { deviceLogWrites } from "./device-log-writes.ts";
import { deviceWrites } from "./device-writes.ts";
import { eventWrites } from "./event-writes.ts";
import { executionChangeWrites } from "./execution-changes.ts";
import { executionWrites } from "./execution-writes.ts";
import { type Marks, marked, withMarks } from "./link-marks.ts";
import { copyWrites, gatewayWrites, uplinkWrites } from "./link-writes.ts";
import { profileWrites } from "./profile-writes.ts";
import { retentionWrites } from "./retention-writes.ts";
import { scriptWrites } from "./script-writes.ts";
import { sessionWrites } from "./session-writes.ts";
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
  ...alertWrites,
  ...webhookWrites,
  ...eventWrites,
  ...retentionWrites,
  ...scriptWrites,
  ...simulationWrites,
  ...uplinkWrites,
  ...gatewayWrites,
  ...copyWrites,
};

/** What a gateway has to tell its cloud about. Executions have change numbers of their own. */
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
  putProfiles: undefined,
  putCredential: undefined,
  insertToken: undefined,
  putAdminToken: undefined,
  revokeToken: undefined,
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
  giveExecutionToOwner: undefined,
  takeExecutionFromOwner: undefined,
  applyRemoteExecution: undefined,
  sweepExecutions: undefined,
  appendDeviceLog: undefined,
  pruneDeviceLogs: undefined,
  putConfiguration: undefined,
  putSimulation: undefined,
  putScriptEntry: undefined,
  removeScriptEntry: undefined,
  recordAlerts: undefined,
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
  noteHistory: undefined,
  insertJoinCode: undefined,
  joinGateway: undefined,
  revokeGateway: undefined,
  noteTaken: undefined,
  noteGatewayGone: undefined,
  copySite: undefined,
  copyDevice: undefined,
  copyProperties: undefined,
  deleteCopiedDevice: undefined,
  deleteCopiedSite: undefined,
};

/** Every write by name. Each runs alone on the writing thread, inside a transaction. */
export const WRITES = withMarks(ALL, MARKS);
