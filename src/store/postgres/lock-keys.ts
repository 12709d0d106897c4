// Which locks a write takes before it reads anything. Two writes that share a key never run at the same time, on any
// node: what a write has read still holds when it is stored. A batch takes all its locks at once and in one order, so
// that batches never wait for each other in a circle.

import { createHash } from "node:crypto";
import { rolloutRequest } from "#core/rollout/rollout.ts";
import type { Database } from "#store/database.ts";
import { isLeftOut } from "#store/records/rollout-writes.ts";
import { text } from "#store/records/row.ts";
import type { WRITES } from "#store/records/writes.ts";

type Writes = typeof WRITES;
type Input<Name extends keyof Writes> = Parameters<Writes[Name]>[1];
type Keys = readonly string[] | Promise<readonly string[]>;

const device = (id: string) => [`device ${id}`];
/** The tree of devices and their slugs are checked over a whole site. */
const tree = (id: string) => ["device tree", `device ${id}`];
const session = (id: string | undefined) => (id === undefined ? NOTHING : [`session ${id}`]);
const chore = (name: string) => [`chore ${name}`];
const NOTHING: readonly string[] = [];

/** How many executions and log entries a chore looks at: the locks of their devices are taken. */
const CHORE_DEVICES = 1_000;

const KEYS: { readonly [Name in keyof Writes]: (input: Input<Name>, reader: Database) => Keys } = {
  insertSite: ({ site }) => [`site ${site.id}`],
  updateSite: ({ id }) => [`site ${id}`],
  deleteSite: ({ id }) => ["device tree", `site ${id}`],
  putRetention: ({ siteId }) => [`site ${siteId}`],
  putSetting: ({ name }) => [`setting ${name}`],
  deleteSetting: ({ name }) => [`setting ${name}`],
  insertDevice: ({ device: { id } }) => tree(id),
  updateDevice: ({ id }) => tree(id),
  deleteDevice: ({ id }) => tree(id),
  putCredential: ({ credential }) => device(credential.deviceId),
  putProperties: ({ deviceId }) => device(deviceId),
  insertBlueprint: () => ["blueprints"],
  putProfiles: () => ["profiles"],
  insertToken: ({ token }) => [`token ${token.id}`],
  putAdminToken: ({ token }) => [`token ${token.id}`],
  revokeToken: ({ id }) => [`token ${id}`],
  putCloudTokens: ({ tokens }) => ["uplink", ...tokens.map(({ id }) => `token ${id}`)],
  noteTokenUse: ({ uses }) => [...uses.keys()].map((id) => `token ${id}`),
  insertSession: ({ input }) => [`token ${input.session.tokenId}`, ...session(input.replaces)],
  renewSession: ({ renewal }) => session(renewal.id),
  endSession: ({ id }) => session(id),
  endSessionsOfToken: ({ tokenId }) => [`token ${tokenId}`],
  noteSessionUse: ({ uses }) => [...uses.keys()].flatMap(session),
  pruneSessions: () => chore("sessions"),
  appendAudit: () => NOTHING,
  putAudit: ({ entries }) => entries.map(({ id }) => `audit ${id}`),
  pruneAudit: () => chore("audit"),
  insertExecution: ({ input }) => device(input.execution.deviceId),
  recordResponse: ({ deviceId }) => device(deviceId),
  markAttempted: ({ id, deviceId }, reader) => (deviceId === undefined ? deviceOf(reader, id) : device(deviceId)),
  unmarkAttempted: ({ id }, reader) => deviceOf(reader, id),
  expireExecution: ({ id }, reader) => deviceOf(reader, id),
  loseSightOfExecution: ({ id }, reader) => deviceOf(reader, id),
  endLostExecution: ({ id }, reader) => deviceOf(reader, id),
  forgetRevisions: ({ siteId }) => [`site ${siteId}`],
  giveExecutionToOwner: ({ id }, reader) => deviceOf(reader, id),
  takeExecutionFromOwner: ({ id }, reader) => deviceOf(reader, id),
  applyRemoteExecution: ({ change }) => device(change.execution.deviceId),
  sweepExecutions: async (_, reader) => [
    ...chore("executions"),
    ...(await devicesOf(
      reader,
      "SELECT DISTINCT device_id FROM execution_group WHERE ephemeral = 1 AND total > 0 LIMIT ?",
    )),
  ],
  appendDeviceLog: ({ deviceId }) => device(deviceId),
  pruneDeviceLogs: () => chore("device logs"),
  putConfiguration: ({ change }) => device(change.deviceId),
  insertCorrection: ({ deviceId }) => device(deviceId),
  deleteCorrection: ({ deviceId }) => device(deviceId),
  putSimulation: ({ deviceId }) => device(deviceId),
  putScriptEntry: ({ deviceId }) => device(deviceId),
  removeScriptEntry: ({ deviceId }) => device(deviceId),
  recordAlerts: ({ deviceId }) => device(deviceId),
  pruneAlerts: () => chore("alerts"),
  insertWebhook: () => ["webhooks"],
  deleteWebhook: () => ["webhooks"],
  enqueueNotices: () => NOTHING,
  settleDelivery: ({ id }) => [`delivery ${id}`],
  retryDelivery: ({ which }) => [`delivery ${which.deliveryId}`],
  pruneDeliveries: () => chore("deliveries"),
  makeEpoch: () => ["epoch"],
  putUplink: () => ["uplink"],
  deleteUplink: () => ["uplink"],
  markHours: () => ["link hours"],
  unmarkHours: () => ["link hours"],
  noteCloud: () => ["uplink"],
  noteDropped: () => ["uplink", "link hours"],
  noteHistory: () => ["uplink"],
  noteContact: () => ["uplink"],
  putNextCredential: () => ["uplink"],
  useNextCredential: () => ["uplink"],
  confirmChanges: () => ["uplink"],
  insertJoinCode: () => ["join codes"],
  withdrawJoinCode: () => ["join codes"],
  joinGateway: () => ["join codes"],
  revokeGateway: ({ id }) => [`gateway ${id}`, `changes of ${id}`],
  grantSite: ({ gatewayId, siteId }) => [`gateway ${gatewayId}`, `site ${siteId}`],
  noteRefusals: ({ gatewayId }) => [`gateway ${gatewayId}`],
  askRotation: ({ id }) => [`gateway ${id}`],
  acceptCredential: ({ id }) => [`gateway ${id}`],
  settleCredential: ({ id }) => [`gateway ${id}`],
  noteTaken: ({ id }) => [`gateway ${id}`],
  noteGatewayGone: ({ id }) => [`gateway ${id}`],
  insertRollout: ({ rollout }) => [`rollout ${rollout.id}`],
  turnRollout: ({ id }, reader) => withPendingChanges(reader, id),
  beginRolloutStage: ({ id }) => [`rollout ${id}`],
  putRolloutDevices: ({ id, changes }, reader) =>
    changes.some(({ to }) => isLeftOut(to)) ? withPendingChanges(reader, id) : [`rollout ${id}`],
  copySite: ({ site }) => [`site ${site.id}`],
  copyDevice: ({ device: { id } }) => tree(id),
  copyProperties: ({ deviceId }) => device(deviceId),
  copyConfiguration: ({ change }) => device(change.deviceId),
  copyAlert: ({ alert }) => device(alert.deviceId),
  copyLogEntry: ({ deviceId }) => device(deviceId),
  copyAuditEntry: ({ entry }) => [`audit ${entry.id}`],
  deleteCopiedDevice: ({ deviceId }) => tree(deviceId),
  deleteCopiedSite: ({ siteId }) => ["device tree", `site ${siteId}`],
  askChange: ({ change, rolloutId }) => [
    `changes of ${change.gatewayId}`,
    ...(rolloutId === undefined ? NOTHING : [`rollout ${rolloutId}`]),
  ],
  settleChange: ({ id }) => [`change ${id}`],
  withdrawChange: ({ id }) => [`change ${id}`],
  pruneChanges: () => chore("changes"),
  appendEvents: () => NOTHING,
  pruneEvents: () => chore("events"),
};

/**
 * Writes that take the lock of a device and change less than that. Within one transaction those that change different
 * things do not wait for each other: the open executions of a device are counted by all of them together.
 */
const PARTS: { readonly [Name in keyof Writes]?: (input: Input<Name>) => readonly string[] } = {
  insertExecution: ({ input: { execution, idempotency } }) =>
    idempotency === undefined
      ? [`execution ${execution.id}`]
      : [`execution ${execution.id}`, `idempotency ${idempotency.tokenId} ${execution.deviceId} ${idempotency.key}`],
  recordResponse: ({ id }) => [`execution ${id}`],
  markAttempted: ({ id }) => [`execution ${id}`],
};

/** Undefined for a write that changes whatever its locks protect. */
export function partsOf(name: keyof Writes, input: unknown): readonly string[] | undefined {
  return (PARTS[name] as ((input: unknown) => readonly string[]) | undefined)?.(input);
}

/** `reader` answers the writes whose device has to be looked up. */
export async function lockKeys(name: keyof Writes, input: unknown, reader: Database): Promise<readonly string[]> {
  const keys = KEYS[name] as (input: unknown, reader: Database) => Keys;
  return await keys(input, reader);
}

/** The number by which PostgreSQL knows the lock. Two keys with one number only wait for each other needlessly. */
export function lockNumber(key: string): bigint {
  return createHash("sha1").update(key).digest().readBigInt64BE();
}

async function deviceOf(reader: Database, executionId: string): Promise<readonly string[]> {
  const row = await reader.get("SELECT device_id FROM execution WHERE id = ?", executionId);
  return row === undefined ? NOTHING : device(text(row, "device_id"));
}

/** A roll-out and what waits of it. What is asked for after this read has the lock of the roll-out, too. */
async function withPendingChanges(reader: Database, id: string): Promise<readonly string[]> {
  const rows = await reader.all(
    "SELECT id FROM gateway_change WHERE request_id = ? AND state = 'PENDING'",
    rolloutRequest(id),
  );
  return [`rollout ${id}`, ...rows.map((row) => `change ${text(row, "id")}`)];
}

async function devicesOf(reader: Database, sql: string): Promise<readonly string[]> {
  const rows = await reader.all(sql, CHORE_DEVICES);
  return rows.map((row) => `device ${text(row, "device_id")}`);
}
