import { accountWrites } from "./account-writes.ts";
import { alertWrites } from "./alert-writes.ts";
import { attemptWrites } from "./attempt-writes.ts";
import { auditWrites } from "./audit-writes.ts";
import { blueprintWrites } from "./blueprint-writes.ts";
import { bulkWrites } from "./bulk-writes.ts";
import { calendarWrites } from "./calendar-writes.ts";
import { changeWrites } from "./change-writes.ts";
import { channelWrites } from "./channel-writes.ts";
import { configurationWrites } from "./configuration-writes.ts";
import { controlWrites } from "./control-writes.ts";
import { copyWrites } from "./copy-writes.ts";
import { correctionWrites } from "./correction-writes.ts";
import { deviceLogWrites } from "./device-log-writes.ts";
import { deviceWrites } from "./device-writes.ts";
import { eventWrites } from "./event-writes.ts";
import { executionWrites } from "./execution-writes.ts";
import { interlockWrites } from "./interlock-writes.ts";
import { gatewayWrites, uplinkWrites } from "./link-writes.ts";
import { maintenanceWrites } from "./maintenance-writes.ts";
import { messageWrites } from "./message-writes.ts";
import { notificationWrites } from "./notification-writes.ts";
import { passkeyWrites } from "./passkey-writes.ts";
import { priceSourceWrites } from "./price-source-writes.ts";
import { profileWrites } from "./profile-writes.ts";
import { providerSignInWrites } from "./provider-sign-in-writes.ts";
import { questionWrites } from "./question-writes.ts";
import { readNotificationWrites } from "./read-notification-writes.ts";
import { remoteExecutionWrites } from "./remote-execution-writes.ts";
import { responseWrites } from "./response-writes.ts";
import { retentionWrites } from "./retention-writes.ts";
import { rolloutWrites } from "./rollout-writes.ts";
import { routeWrites } from "./route-writes.ts";
import { ruleScriptWrites } from "./rule-script-writes.ts";
import { ruleWrites } from "./rule-writes.ts";
import { scheduleWrites } from "./schedule-writes.ts";
import { scriptWrites } from "./script-writes.ts";
import { secondFactorWrites } from "./second-factor-writes.ts";
import { sessionWrites } from "./session-writes.ts";
import { settingWrites } from "./setting-writes.ts";
import { simulationWrites } from "./simulation-writes.ts";
import { siteWrites } from "./site-writes.ts";
import { tariffWrites } from "./tariff-writes.ts";
import { terminalSignInWrites } from "./terminal-sign-in-writes.ts";
import { tokenWrites } from "./token-writes.ts";
import { viewWrites } from "./view-writes.ts";
import { webhookWrites } from "./webhook-writes.ts";
import type { Write } from "./write.ts";

/** Every write by name. */
export const WRITES = {
  ...siteWrites,
  ...deviceWrites,
  ...blueprintWrites,
  ...profileWrites,
  ...tokenWrites,
  ...accountWrites,
  ...terminalSignInWrites,
  ...providerSignInWrites,
  ...sessionWrites,
  ...attemptWrites,
  ...secondFactorWrites,
  ...passkeyWrites,
  ...auditWrites,
  ...executionWrites,
  ...responseWrites,
  ...remoteExecutionWrites,
  ...bulkWrites,
  ...scheduleWrites,
  ...deviceLogWrites,
  ...configurationWrites,
  ...correctionWrites,
  ...tariffWrites,
  ...priceSourceWrites,
  ...alertWrites,
  ...webhookWrites,
  ...maintenanceWrites,
  ...notificationWrites,
  ...readNotificationWrites,
  ...channelWrites,
  ...routeWrites,
  ...messageWrites,
  ...eventWrites,
  ...retentionWrites,
  ...scriptWrites,
  ...simulationWrites,
  ...uplinkWrites,
  ...gatewayWrites,
  ...rolloutWrites,
  ...copyWrites,
  ...changeWrites,
  ...questionWrites,
  ...settingWrites,
  ...viewWrites,
  ...controlWrites,
  ...interlockWrites,
  ...ruleWrites,
  ...calendarWrites,
  ...ruleScriptWrites,
};

export type Writes = typeof WRITES;

/** The writes that go on while the disk is full. */
export function namesFromReserve(): readonly (keyof Writes)[] {
  return (Object.keys(WRITES) as (keyof Writes)[]).filter((name) => WRITES[name].fromReserve);
}

/** The declaration of a write whose input is not looked at. */
export function writeNamed(name: keyof Writes): Write<unknown, unknown> {
  return WRITES[name] as Write<never, unknown> as Write<unknown, unknown>;
}
