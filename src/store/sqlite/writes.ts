import { alertWrites } from "./alert-store.ts";
import { auditWrites } from "./audit-store.ts";
import { blueprintWrites } from "./blueprint-store.ts";
import { configurationWrites } from "./configuration-store.ts";
import { deviceLogWrites } from "./device-log-store.ts";
import { deviceWrites } from "./device-writes.ts";
import { executionWrites } from "./execution-writes.ts";
import { retentionWrites } from "./retention-store.ts";
import { scriptWrites } from "./script-store.ts";
import { simulationWrites } from "./simulation-store.ts";
import { siteWrites } from "./site-store.ts";
import { tokenWrites } from "./token-store.ts";
import { webhookWrites } from "./webhook-store.ts";

/** Every write by name. Each runs alone on the writing thread, inside a transaction. */
export const WRITES = {
  ...siteWrites,
  ...deviceWrites,
  ...blueprintWrites,
  ...tokenWrites,
  ...auditWrites,
  ...executionWrites,
  ...deviceLogWrites,
  ...configurationWrites,
  ...alertWrites,
  ...webhookWrites,
  ...retentionWrites,
  ...scriptWrites,
  ...simulationWrites,
};
