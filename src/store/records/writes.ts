import { alertWrites } from "./alert-writes.ts";
import { auditWrites } from "./audit-writes.ts";
import { blueprintWrites } from "./blueprint-writes.ts";
import { configurationWrites } from "./configuration-writes.ts";
import { deviceLogWrites } from "./device-log-writes.ts";
import { deviceWrites } from "./device-writes.ts";
import { eventWrites } from "./event-writes.ts";
import { executionChangeWrites } from "./execution-changes.ts";
import { executionWrites } from "./execution-writes.ts";
import { profileWrites } from "./profile-writes.ts";
import { retentionWrites } from "./retention-writes.ts";
import { scriptWrites } from "./script-writes.ts";
import { sessionWrites } from "./session-writes.ts";
import { simulationWrites } from "./simulation-writes.ts";
import { siteWrites } from "./site-writes.ts";
import { tokenWrites } from "./token-writes.ts";
import { webhookWrites } from "./webhook-writes.ts";

/** Every write by name. Each runs alone on the writing thread, inside a transaction. */
export const WRITES = {
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
};
