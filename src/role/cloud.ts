// A cloud: stands over many gateways, which have the devices.
import type { Linking } from "#role/open-linking.ts";
import type { Role } from "#role/role.ts";
import { access } from "#role/subjects/access.ts";
import { alerts } from "#role/subjects/alerts.ts";
import { backups } from "#role/subjects/backups.ts";
import { blueprints } from "#role/subjects/blueprints.ts";
import { calendars } from "#role/subjects/calendars.ts";
import { commands } from "#role/subjects/commands.ts";
import { control } from "#role/subjects/control.ts";
import { devices } from "#role/subjects/devices.ts";
import { energy } from "#role/subjects/energy.ts";
import { events } from "#role/subjects/events.ts";
import { link } from "#role/subjects/link.ts";
import { notifications } from "#role/subjects/notifications.ts";
import { rollouts } from "#role/subjects/rollouts.ts";
import { rulesOfGateways } from "#role/subjects/rules.ts";
import { sites } from "#role/subjects/sites.ts";
import { system } from "#role/subjects/system.ts";
import { telemetry } from "#role/subjects/telemetry.ts";
import { views } from "#role/subjects/views.ts";
import { webhooks } from "#role/subjects/webhooks.ts";
import { createCloudControls } from "#service/control/cloud-controls.ts";
import { createReportedControls } from "#service/control/reported-controls.ts";
import { createReportedInterlocks } from "#service/interlock/reported-interlocks.ts";
import { createGatewayChanges } from "#service/link/gateway-changes.ts";
import { createGatewayQuestions } from "#service/link/gateway-questions.ts";
import { createLinks } from "#service/link/links.ts";
import { watchTokens } from "#service/link/share-tokens.ts";
import { createReportedRules } from "#service/rule/reported-rules.ts";

export const cloud: Role = {
  // Its gateways accept its tokens, too.
  shareTokens: (holders, sharing) => watchTokens(holders, sharing.changed),
  openLinks,
  // Sites come from people and from gateways.
  prepare: async () => undefined,
  openUplink: async () => ({ uplink: undefined, join: undefined }),
  subjects: (parts) => [
    sites(parts),
    devices(parts),
    alerts(parts),
    commands(parts),
    control(parts),
    rulesOfGateways(parts),
    calendars(parts),
    notifications(parts),
    telemetry(parts),
    energy(parts),
    views(parts),
    events(parts),
    blueprints(parts),
    rollouts(parts),
    webhooks(parts),
    access(parts),
    link(parts),
    backups(parts),
    system(parts),
  ],
  assumedSite: async () => undefined,
};

async function openLinks(linking: Linking) {
  const gatewayChanges = createGatewayChanges(linking);
  const gatewayQuestions = createGatewayQuestions(linking);
  const reportedInterlocks = createReportedInterlocks(linking);
  const reportedControls = createReportedControls({ ...linking, reportedInterlocks });
  const cloudControls = createCloudControls({ ...linking, reportedControls });
  const reportedRules = createReportedRules(linking);
  const links = createLinks({ ...linking, gatewayChanges, gatewayQuestions, reportedControls, reportedRules });
  linking.channel.add(links.carrier);
  return {
    gatewayChanges,
    gatewayQuestions,
    links,
    reportedControls,
    reportedRules,
    reportedInterlocks,
    cloudControls,
  };
}
