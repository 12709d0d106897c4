import { randomUUID } from "node:crypto";
import type { SubjectStores } from "#service/ports/record-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import { createAccountStore } from "./account-store.ts";
import { createAlertStore } from "./alert-store.ts";
import { createAttemptStore } from "./attempt-store.ts";
import { createAuditStore } from "./audit-store.ts";
import { createBlueprintStore } from "./blueprint-store.ts";
import { createBulkStore } from "./bulk-store.ts";
import { createCalendarStore } from "./calendar-store.ts";
import { createChangeStore } from "./change-store.ts";
import { createChannelStore } from "./channel-store.ts";
import { createConfigurationStore } from "./configuration-store.ts";
import { createControlStore } from "./control-store.ts";
import { createCorrectionStore } from "./correction-store.ts";
import { createDeviceLogStore } from "./device-log-store.ts";
import { createDeviceStore } from "./device-store.ts";
import { createEventOutbox, type OutboxParts } from "./event-outbox.ts";
import { createExecutionStore } from "./execution-store.ts";
import { createInterlockStore } from "./interlock-store.ts";
import { createCopyStore, createGatewayStore, createUplinkStore } from "./link-store.ts";
import type { Lists } from "./lists.ts";
import { createMaintenanceStore } from "./maintenance-store.ts";
import { createMessageStore } from "./message-store.ts";
import { createNotificationStore } from "./notification-store.ts";
import { createPasskeyStore } from "./passkey-store.ts";
import { createPriceSourceStore } from "./price-source-store.ts";
import { createProfileStore } from "./profile-store.ts";
import { createProviderSignInStore } from "./provider-sign-in-store.ts";
import { createQuestionStore } from "./question-store.ts";
import { createRetentionStore } from "./retention-store.ts";
import { createRolloutStore } from "./rollout-store.ts";
import { createRouteStore } from "./route-store.ts";
import { number } from "./row.ts";
import { createRuleStore } from "./rule-store.ts";
import { createScheduleStore } from "./schedule-store.ts";
import { createScriptStore } from "./script-store.ts";
import { createSecondFactorStore } from "./second-factor-store.ts";
import { createSessionStore } from "./session-store.ts";
import { createSettingStore } from "./setting-store.ts";
import { createSimulationStore } from "./simulation-store.ts";
import { createSiteStore } from "./site-store.ts";
import { createTariffStore } from "./tariff-store.ts";
import { createTerminalSignInStore } from "./terminal-sign-in-store.ts";
import { createTokenStore } from "./token-store.ts";
import { createViewStore } from "./view-store.ts";
import { createWebhookStore } from "./webhook-store.ts";
import type { Writer } from "./writer.ts";

/** The stores of all subjects over one SQL database. */
export function createSubjectStores(
  { reader, lists, used, limit, ...events }: OutboxParts & { readonly reader: ReadDatabase; readonly lists: Lists },
  writer: Writer,
): SubjectStores {
  const { changing, forget, forgetAll, ...devices } = createDeviceStore(reader, writer, lists);
  // Another node may have changed a device. Whoever hears of the change sees the new state.
  const watch: OutboxParts["watch"] = (listener, after, onGap = () => {}) =>
    events.watch(
      (event) => {
        if (event.kind === "device") forget(event.deviceId);
        listener(event);
      },
      after,
      (position) => {
        forgetAll();
        onGap(position);
      },
    );
  const changesOfGateways = createChangeStore(reader, writer, lists);
  return {
    sites: createSiteStore(reader, writer, lists),
    devices,
    blueprints: createBlueprintStore(reader, writer, lists),
    uploadedProfiles: createProfileStore(reader, writer),
    tokens: createTokenStore(reader, writer),
    accounts: createAccountStore(reader, writer),
    terminalSignIns: createTerminalSignInStore(reader, writer),
    providerSignIns: createProviderSignInStore(writer),
    sessions: createSessionStore(reader, writer),
    attempts: createAttemptStore(writer),
    secondFactors: createSecondFactorStore(reader, writer),
    passkeys: createPasskeyStore(reader, writer),
    audit: createAuditStore(reader, writer, lists),
    executions: createExecutionStore(reader, writer, lists),
    bulks: createBulkStore(reader, writer, lists),
    schedules: createScheduleStore(reader, writer, lists),
    deviceLogs: createDeviceLogStore(reader, writer, lists),
    configurations: createConfigurationStore(reader, writer),
    corrections: createCorrectionStore(reader, writer),
    tariffs: createTariffStore(reader, writer),
    priceSources: createPriceSourceStore(reader, writer),
    alerts: createAlertStore(reader, writer, lists),
    maintenance: createMaintenanceStore(reader, writer, lists),
    webhooks: createWebhookStore(reader, writer, lists),
    outbox: createEventOutbox(reader, writer, { watch, used, limit }),
    retentions: createRetentionStore(reader, writer),
    scripts: createScriptStore(reader, writer),
    simulations: createSimulationStore(reader, writer),
    uplinks: createUplinkStore(reader, writer, randomUUID),
    gateways: createGatewayStore(reader, writer, lists),
    rollouts: createRolloutStore(reader, writer, lists),
    copies: createCopyStore(writer, changing),
    changes: {
      ...changesOfGateways,
      // Another node may have settled it. Whoever hears that it is done sees what it has changed.
      find: async (id) => {
        const change = await changesOfGateways.find(id);
        if (change?.deviceId !== undefined && change.state !== "PENDING") forget(change.deviceId);
        return change;
      },
    },
    questions: createQuestionStore(reader, writer),
    settings: createSettingStore(reader, writer),
    views: createViewStore(reader, writer, lists),
    controls: createControlStore(reader, writer, lists),
    interlocks: createInterlockStore(reader, writer),
    rules: createRuleStore(reader, writer, lists),
    calendars: createCalendarStore(reader, writer, lists),
    notifications: createNotificationStore(reader, writer, lists),
    channels: createChannelStore(reader, writer),
    routes: createRouteStore(reader, writer),
    messages: createMessageStore(reader, writer, lists),
  };
}

const SEALED = `SELECT CASE WHEN EXISTS (SELECT 1 FROM device_configuration WHERE length(sealed) > 0) OR EXISTS (SELECT 1 FROM webhook)
  OR EXISTS (SELECT 1 FROM execution WHERE is_open = 1 AND sealed IS NOT NULL)
  OR EXISTS (SELECT 1 FROM gateway_change WHERE state = 'PENDING')
  OR EXISTS (SELECT 1 FROM bulk_command WHERE ended_at IS NULL) OR EXISTS (SELECT 1 FROM command_schedule)
  OR EXISTS (SELECT 1 FROM second_factor)
  OR EXISTS (SELECT 1 FROM price_source WHERE sealed_header IS NOT NULL)
  OR EXISTS (SELECT 1 FROM notification_channel WHERE sealed_secret IS NOT NULL) THEN 1 ELSE 0 END AS found`;

/** Whether anything is stored that only the current key of sealed values opens. */
export async function holdsSealed(reader: ReadDatabase): Promise<boolean> {
  return number(await reader.one(SEALED), "found") === 1;
}

const EMPTY = `SELECT CASE WHEN EXISTS (SELECT 1 FROM site) OR EXISTS (SELECT 1 FROM token) THEN 0 ELSE 1 END AS empty`;

/** Every installation has at least its admin token. */
export async function isEmpty(reader: ReadDatabase): Promise<boolean> {
  return number(await reader.one(EMPTY), "empty") === 1;
}
