// Every route there is, in the order of the reference.

import type { Shares } from "#core/share/shares.ts";
import type { Retention } from "#core/telemetry/retention.ts";
import { compatibilityRoutes } from "#http/compatibility.ts";
import { type GuideNeeds, guideRoutes } from "#http/guide/guide-routes.ts";
import { type LinkRouteNeeds, linkRoute } from "#http/link-route.ts";
import type { Route } from "#http/route.ts";
import { type SystemNeeds, systemRoutes } from "#http/system/system-routes.ts";
import { auditOperations } from "#service/access/audit-operations.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import { type SessionNeeds, sessionOperations } from "#service/access/session-operations.ts";
import { tokenOperations } from "#service/access/token-operations.ts";
import { alertOperations } from "#service/alert/alert-operations.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { blueprintOperations } from "#service/blueprint/blueprint-operations.ts";
import type { Catalogue } from "#service/blueprint/catalogue.ts";
import { catalogueOperations } from "#service/blueprint/catalogue-operations.ts";
import { profileOperations } from "#service/blueprint/profile-operations.ts";
import { rolloutOperations } from "#service/blueprint/rollout-operations.ts";
import { type CommandNeeds, commandOperations } from "#service/command/command-operations.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import { configurationOperations } from "#service/device/configuration-operations.ts";
import type { ConfigurationSender } from "#service/device/configuration-sender.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { deviceBlueprintOperations } from "#service/device/device-blueprint-operations.ts";
import { type ConfigSettings, deviceConfigOperations } from "#service/device/device-config-operations.ts";
import { deviceLogOperations } from "#service/device/device-log-operations.ts";
import { deviceOperations } from "#service/device/device-operations.ts";
import type { HostRouter } from "#service/device/host-router.ts";
import { provisioningOperations } from "#service/device/provisioning-operations.ts";
import { runtimeOperations } from "#service/device/runtime-operations.ts";
import { correctionOperations } from "#service/energy/correction-operations.ts";
import { energyOperations } from "#service/energy/energy-operations.ts";
import { eventOperations } from "#service/event/event-operations.ts";
import type { EventStreams } from "#service/event/event-streams.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import { changeOperations } from "#service/link/change-operations.ts";
import type { GatewayChanges } from "#service/link/gateway-changes.ts";
import { type LinkNeeds, linkOperations } from "#service/link/link-operations.ts";
import { withPendingChange } from "#service/operation/ask-gateway.ts";
import type { AnyCall } from "#service/operation/operation.ts";
import type { Operations } from "#service/operation/perform.ts";
import type { Backups } from "#service/ports/backups.ts";
import type { Carrier } from "#service/ports/carrier.ts";
import type { LiveSettings } from "#service/ports/live-settings.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Simulator } from "#service/ports/simulator.ts";
import type { Needs } from "#service/ports.ts";
import { simulationOperations } from "#service/simulator/simulation-operations.ts";
import type { CreateSiteNeeds } from "#service/site/create-site.ts";
import { siteOperations } from "#service/site/site-operations.ts";
import { backupOperations } from "#service/system/backup-operations.ts";
import { settingOperations } from "#service/system/setting-operations.ts";
import { type StatusNeeds, statusOperations } from "#service/system/status-operations.ts";
import { exportOperations } from "#service/telemetry/export-operations.ts";
import { importOperations } from "#service/telemetry/import-operations.ts";
import { retentionOperations } from "#service/telemetry/retention-operations.ts";
import { telemetryOperations } from "#service/telemetry/telemetry-operations.ts";
import type { Troubles } from "#service/troubles.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";
import { webhookOperations } from "#service/webhook/webhook-operations.ts";

export interface RouteNeeds extends Needs, CommandNeeds, CreateSiteNeeds, SessionNeeds, LinkNeeds, LinkRouteNeeds {
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
  readonly operations: Operations;
  /** Undefined where no gateways connect. */
  readonly gatewayChanges: GatewayChanges | undefined;
}

export interface RouteSettings extends SystemNeeds, Omit<StatusNeeds, "about">, ConfigSettings, GuideNeeds {
  /** How long telemetry is kept where a site says nothing else. */
  readonly retentionDefault: () => Retention;
}

export function createRoutes(needs: RouteNeeds, settings: RouteSettings): readonly Route[] {
  const { operations } = needs;
  const declared = [...declaredOperations(needs, settings), ...guideRoutes(settings)].map(withPendingChange);
  operations.open(declared, needs.gatewayChanges);
  const routes = declared.map((one) => ({ ...one, run: (call: AnyCall) => operations.run(one, call) }));
  const all = [...routes, ...compatibilityRoutes(needs, routes)];
  return [...all, ...systemRoutes(settings, all)];
}

/** In the order of the reference. */
function declaredOperations(needs: RouteNeeds, settings: RouteSettings): readonly Route[] {
  return [
    ...siteOperations(needs),
    ...deviceOperations(needs),
    ...deviceBlueprintOperations(needs),
    ...deviceLogOperations(needs),
    ...runtimeOperations(needs),
    ...simulationOperations(needs),
    ...configurationOperations(needs),
    ...alertOperations(needs),
    ...commandOperations(needs),
    ...telemetryOperations(needs),
    ...energyOperations(needs),
    ...correctionOperations(needs),
    ...exportOperations(needs),
    ...importOperations(needs),
    ...retentionOperations({ ...needs, retentionDefault: settings.retentionDefault }),
    ...eventOperations(needs),
    ...deviceConfigOperations(needs, settings),
    ...provisioningOperations(needs),
    ...profileOperations(needs),
    ...blueprintOperations(needs),
    ...catalogueOperations(needs),
    ...rolloutOperations(needs),
    ...webhookOperations(needs),
    ...tokenOperations(needs),
    ...sessionOperations(needs),
    ...auditOperations(needs),
    ...linkOperations(needs),
    linkRoute(needs),
    ...changeOperations(needs),
    ...backupOperations(needs),
    ...statusOperations(settings),
    ...settingOperations(needs),
  ];
}
