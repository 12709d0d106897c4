// The parts that hold a state of their own while the program runs: blueprints, devices, events, commands, alerts, webhooks.
import { randomUUID } from "node:crypto";
import { toMilliseconds } from "#core/time/duration.ts";
import { openCataloguePackages } from "#role/catalogue-packages.ts";
import type { Foundation } from "#role/foundation.ts";
import type { openAccess } from "#role/open-access.ts";
import { createAlertTracker } from "#service/alert/alert-tracker.ts";
import { createBlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { createCatalogue } from "#service/blueprint/catalogue.ts";
import { createCommandDispatcher } from "#service/command/command-dispatcher.ts";
import { createControls } from "#service/control/controls.ts";
import { createChannelRouter } from "#service/device/channel-router.ts";
import { createChildRoutes } from "#service/device/child-routes.ts";
import { deviceConfiguration } from "#service/device/configuration.ts";
import { createConnectivity } from "#service/device/connectivity.ts";
import { createDeviceInbox } from "#service/device/device-inbox.ts";
import { createDeviceLog } from "#service/device/device-log.ts";
import { createHostRouter } from "#service/device/host-router.ts";
import { announceEveryMs, createPresence } from "#service/device/presence.ts";
import { createEventHub, EVENT_BUFFER_BYTES, type EventHub } from "#service/event/event-hub.ts";
import { createInterlocks } from "#service/interlock/interlocks.ts";
import { createOperations } from "#service/operation/perform.ts";
import { createRuleCauses } from "#service/rule/rule-causes.ts";
import { createTelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import { createTelemetryFeed } from "#service/telemetry/telemetry-feed.ts";
import { createWebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";

export type Engines = Awaited<ReturnType<typeof openEngines>>;

export async function openEngines(foundation: Foundation, access: Awaited<ReturnType<typeof openAccess>>) {
  const { config, log, budgets } = foundation;
  const catalog = createBlueprintCatalog(foundation);
  budgets.watch(catalog.memory);
  const packages = openCataloguePackages(config.blueprints.catalogue);
  const catalogue = createCatalogue({ ...foundation, catalog, packages });
  budgets.watch(catalogue.memory);
  const children = createChildRoutes(foundation.devices);
  const channel = createChannelRouter(children);
  const events = await openEvents(foundation);
  const dispatcher = createCommandDispatcher({
    ...foundation,
    channel,
    onDropped: (deviceId, { executionId, state }) =>
      log.debug({ deviceId, executionId, state }, "a response came too late to count"),
  });
  dispatcher.onEnd((execution) => foundation.executionTraces.ended(execution));
  const webhookDispatcher = createWebhookDispatcher(foundation);
  const alertTracker = createAlertTracker({
    ...foundation,
    catalog,
    webhookDispatcher,
    unconfirmedAfterMs: toMilliseconds(config.alerts.unconfirmedAfter),
  });
  const parts = {
    ...foundation,
    ...access,
    deviceLog: createDeviceLog({ ...foundation, events }),
    catalog,
    catalogue,
    children,
    mayRegisterChildren: config.devices.registerChildren,
    channel,
    hosts: createHostRouter(foundation),
    events,
    ...openConnectivity(foundation, events),
    dispatcher,
    alertTracker,
    webhookDispatcher,
    ruleCauses: createRuleCauses(),
    feed: createTelemetryFeed(),
    telemetryCounter: createTelemetryCounter(),
  };
  const interlocking = createInterlocks(parts);
  const controlling = createControls({ ...parts, interlocking });
  foundation.opened.defer(() => controlling.stop());
  return {
    ...parts,
    interlocking,
    controlling,
    commandGuard: controlling,
    directCommands: controlling,
    inbox: createDeviceInbox(parts),
    // Filled when all parts run. Calls that come before wait until then.
    operations: createOperations(parts),
    configurationOf: (deviceId: string) => deviceConfiguration(parts, deviceId),
  };
}

async function openEvents({ outbox, budgets, opened }: Foundation): Promise<EventHub> {
  const position = await outbox.latest();
  const events = createEventHub({ position, budget: budgets.open("event_buffer", EVENT_BUFFER_BYTES) });
  opened.defer(outbox.watch(events.take, position, events.skip));
  budgets.watch(outbox.size);
  return events;
}

function openConnectivity(foundation: Foundation, events: EventHub) {
  const { config, background, devices, outbox, prepareEvent, elapsed, now } = foundation;
  const presence = createPresence({ node: randomUUID(), elapsed, everyMs: announceEveryMs(config) });
  const connectivity = createConnectivity({
    elapsed,
    silenceMs: toMilliseconds(config.devices.silence),
    isHeardElsewhere: presence.isHeardElsewhere,
    onChange: (deviceId, status) => {
      background.run("publish a change of connectivity", async () => {
        const device = await devices.find(deviceId);
        if (device === undefined) return;
        const { siteId } = device;
        const event = prepareEvent({ kind: "connectivity", siteId, deviceId, status, at: now() });
        try {
          await outbox.append([event]);
        } catch (error) {
          // A full disk must not hide it from those who listen now.
          events.publish(event);
          throw error;
        }
      });
    },
  });
  return { presence, connectivity };
}
