// A gateway: works on its own next to the devices, and may join a cloud.

import { toMilliseconds } from "#core/time/duration.ts";
import type { SimulatedPorts } from "#drivers/simulated-ports.ts";
import { ensureFirstSite, findAssumedSite } from "#role/first-site.ts";
import { joinUntilDone } from "#role/join-until-done.ts";
import { machineTimezone } from "#role/machine-timezone.ts";
import type { Engines } from "#role/open-engines.ts";
import type { Linking } from "#role/open-linking.ts";
import type { ProcessMeter } from "#role/process-meter.ts";
import type { CloudParts, Role } from "#role/role.ts";
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
import { rules } from "#role/subjects/rules.ts";
import { sites } from "#role/subjects/sites.ts";
import { system } from "#role/subjects/system.ts";
import { telemetry } from "#role/subjects/telemetry.ts";
import { views } from "#role/subjects/views.ts";
import { webhooks } from "#role/subjects/webhooks.ts";
import { addMissingGatewayDevices } from "#service/device/gateway-device.ts";
import { joinAsSet } from "#service/link/join-cloud.ts";
import { type GatewayReports, reportGateway } from "#service/link/report-gateway.ts";
import { createUplink } from "#service/link/uplink.ts";
import type { Call } from "#service/ports.ts";

const NO_GATEWAYS: CloudParts = {
  gatewayChanges: undefined,
  gatewayQuestions: undefined,
  links: undefined,
  reportedControls: undefined,
  reportedRules: undefined,
  reportedInterlocks: undefined,
  cloudControls: undefined,
};

export const gateway: Role = {
  shareTokens: (holders) => holders,
  openLinks: async () => NO_GATEWAYS,
  prepare,
  openUplink,
  subjects: (parts) => [
    sites(parts),
    devices(parts),
    alerts(parts),
    commands(parts),
    control(parts),
    rules(parts),
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
  assumedSite: (engines) => findAssumedSite(engines),
};

/** The first site, or the demo's, and a device for the gateway itself on each site. */
async function prepare(engines: Engines, simulated: SimulatedPorts) {
  const { config, attempt } = engines;
  if (!config.demo) {
    await attempt("site", "the first site could not be made", () => ensureFirstSite(engines, BOOTSTRAP, "My site"));
  }
  const demo = config.demo
    ? await attempt("demo", "the demo site does not run", async () =>
        (await import("#demo/start-demo.ts")).startDemo(engines, BOOTSTRAP, {
          data: config.data,
          simulated,
          timezone: machineTimezone() ?? "UTC",
          historyMs: toMilliseconds(config.demoHistory),
        }),
      )
    : undefined;
  engines.opened.defer(() => demo?.stop());
  await attempt("gateway", "sites without a device of type GATEWAY could not get one", () =>
    addMissingGatewayDevices(engines, BOOTSTRAP),
  );
  return demo;
}

async function openUplink(linking: Linking, meter: ProcessMeter) {
  const { config, opened, attempt, background, elapsed, storage } = linking;
  let reports: GatewayReports | undefined;
  const uplink = createUplink({ ...linking, onTurn: () => reports?.wake() });
  opened.defer(() => uplink.stop());
  await attempt("link", "the link to the cloud does not run", () => uplink.restart());
  const join = { ...linking, uplink };
  const startedAt = elapsed();
  const measureLoad = async () => {
    const { mainThreadBusy: mainThread, memoryBytes } = await meter.read();
    const load = { mainThread, memoryBytes, freeBytes: storage.reserve.free() };
    return { load, uptimeMs: elapsed() - startedAt };
  };
  reports = reportGateway({ ...join, measureLoad }, { ...GATEWAY_ITSELF, operation: "reportGateway" });
  opened.defer(() => reports?.stop());
  const stopJoining = new AbortController();
  opened.defer(() => stopJoining.abort());
  const joining = {
    ...linking,
    join: () => joinAsSet(join, { ...GATEWAY_ITSELF, operation: "joinCloud" }, config.cloud),
  };
  background.run("join the cloud", () => joinUntilDone(joining, stopJoining.signal));
  return { uplink, join };
}

/** Changes that the program makes by itself at its first start. */
const BOOTSTRAP: Call = {
  caller: { tokenId: "bootstrap", tokenName: "first start", level: "system", sites: "all" },
  operation: "firstStart",
  requestId: "first-start",
  remoteAddress: "local",
  door: "busbar",
};

/** Changes that a gateway makes by itself at any time. */
const GATEWAY_ITSELF: Omit<Call, "operation"> = {
  caller: { tokenId: "gateway", tokenName: "gateway", level: "system", sites: "all" },
  requestId: "gateway",
  remoteAddress: "local",
  door: "busbar",
};
