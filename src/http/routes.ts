// Every route there is, in the order of the reference.

import type { Shares } from "#core/share/shares.ts";
import type { Retention } from "#core/telemetry/retention.ts";
import { auditRoutes } from "#http/access/audit-routes.ts";
import { type SessionRouteNeeds, sessionRoutes } from "#http/access/session-routes.ts";
import { tokenRoutes } from "#http/access/token-routes.ts";
import { alertRoutes } from "#http/alert/alert-routes.ts";
import { blueprintRoutes } from "#http/blueprint/blueprint-routes.ts";
import { catalogueRoutes } from "#http/blueprint/catalogue-routes.ts";
import { profileRoutes } from "#http/blueprint/profile-routes.ts";
import { rolloutRoutes } from "#http/blueprint/rollout-routes.ts";
import { type CommandNeeds, commandRoutes } from "#http/command/command-routes.ts";
import { compatibilityRoutes } from "#http/compatibility.ts";
import { configurationRoutes } from "#http/device/configuration-routes.ts";
import { deviceBlueprintRoutes } from "#http/device/device-blueprint-routes.ts";
import { type ConfigSettings, deviceConfigRoutes } from "#http/device/device-config-routes.ts";
import { deviceLogRoutes } from "#http/device/device-log-routes.ts";
import { deviceRoutes } from "#http/device/device-routes.ts";
import { provisioningRoutes } from "#http/device/provisioning-routes.ts";
import { runtimeRoutes } from "#http/device/runtime-routes.ts";
import { correctionRoutes } from "#http/energy/correction-routes.ts";
import { energyRoutes } from "#http/energy/energy-routes.ts";
import { eventRoutes } from "#http/event/event-routes.ts";
import type { EventStreams } from "#http/event/event-streams.ts";
import { type GuideNeeds, guideRoutes } from "#http/guide/guide-routes.ts";
import { type CarryNeeds, carryToGateways } from "#http/link/carry-to-gateways.ts";
import { changeRoutes } from "#http/link/change-routes.ts";
import { type LinkRouteNeeds, linkRoutes } from "#http/link/link-routes.ts";
import type { Route } from "#http/route.ts";
import { simulationRoutes } from "#http/simulator/simulation-routes.ts";
import { siteRoutes } from "#http/site/site-routes.ts";
import { backupRoutes } from "#http/system/backup-routes.ts";
import { settingRoutes } from "#http/system/setting-routes.ts";
import { type StatusNeeds, statusRoutes } from "#http/system/status-routes.ts";
import { type SystemNeeds, systemRoutes } from "#http/system/system-routes.ts";
import { exportRoutes } from "#http/telemetry/export-routes.ts";
import { importRoutes } from "#http/telemetry/import-routes.ts";
import { retentionRoutes } from "#http/telemetry/retention-routes.ts";
import { telemetryRoutes } from "#http/telemetry/telemetry-routes.ts";
import { webhookRoutes } from "#http/webhook/webhook-routes.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { Catalogue } from "#service/blueprint/catalogue.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import type { ConfigurationSender } from "#service/device/configuration-sender.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { HostRouter } from "#service/device/host-router.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Backups } from "#service/ports/backups.ts";
import type { Carrier } from "#service/ports/carrier.ts";
import type { LiveSettings } from "#service/ports/live-settings.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Simulator } from "#service/ports/simulator.ts";
import type { Needs } from "#service/ports.ts";
import type { CreateSiteNeeds } from "#service/site/create-site.ts";
import type { Troubles } from "#service/troubles.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";

export interface RouteNeeds
  extends Needs,
    CommandNeeds,
    CreateSiteNeeds,
    SessionRouteNeeds,
    LinkRouteNeeds,
    CarryNeeds {
  readonly authenticator: Authenticator;
  readonly refusals: RefusalLog;
  readonly catalog: BlueprintCatalog;
  readonly catalogue: Catalogue;
  readonly channel: Carrier;
  readonly hosts: HostRouter;
  readonly simulator: Simulator;
  readonly connectivity: Connectivity;
  readonly children: ChildRoutes;
  readonly configurationSender: ConfigurationSender;
  readonly eventStreams: EventStreams;
  readonly prepareEvent: PrepareEvent;
  readonly alertTracker: AlertTracker;
  readonly webhookDispatcher: WebhookDispatcher;
  readonly shares: Pick<Shares, "open">;
  readonly troubles: Troubles;
  readonly backups: Backups;
  readonly liveSettings: LiveSettings;
  readonly nodes: Pick<Nodes, "tell">;
}

export interface RouteSettings extends SystemNeeds, StatusNeeds, ConfigSettings, GuideNeeds {
  /** How long telemetry is kept where a site says nothing else. */
  readonly retentionDefault: () => Retention;
}

export function createRoutes(needs: RouteNeeds, settings: RouteSettings): readonly Route[] {
  const routes = carryToGateways(needs, [
    ...siteRoutes(needs),
    ...deviceRoutes(needs),
    ...deviceBlueprintRoutes(needs),
    ...deviceLogRoutes(needs),
    ...runtimeRoutes(needs),
    ...simulationRoutes(needs),
    ...configurationRoutes(needs),
    ...alertRoutes(needs),
    ...commandRoutes(needs),
    ...telemetryRoutes(needs),
    ...energyRoutes(needs),
    ...correctionRoutes(needs),
    ...exportRoutes(needs),
    ...importRoutes(needs),
    ...retentionRoutes({ ...needs, retentionDefault: settings.retentionDefault }),
    ...eventRoutes(needs),
    ...deviceConfigRoutes(needs, settings),
    ...provisioningRoutes(needs),
    ...profileRoutes(needs),
    ...blueprintRoutes(needs),
    ...catalogueRoutes(needs),
    ...rolloutRoutes(needs),
    ...webhookRoutes(needs),
    ...tokenRoutes(needs),
    ...sessionRoutes(needs),
    ...auditRoutes(needs),
    ...linkRoutes(needs),
    ...changeRoutes(needs),
    ...backupRoutes(needs),
    ...statusRoutes(settings),
    ...settingRoutes(needs),
    ...guideRoutes(settings),
  ]);
  const all = [...routes, ...compatibilityRoutes(needs, routes)];
  return [...all, ...systemRoutes(settings, all)];
}
