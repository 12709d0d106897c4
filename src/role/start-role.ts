// Starts a role on its stores: foundation, access, engines, the link, devices, subjects, and at last the server.
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { Site } from "#core/site/site.ts";
import { createLiveRules } from "#drivers/live-rules.ts";
import { createSimulatedPorts } from "#drivers/simulated-ports.ts";
import { createRoutes } from "#http/routes.ts";
import { createServer } from "#http/server.ts";
import { RECENT_BYTES, recentLines } from "#log";
import { createBackups } from "#role/backups.ts";
import { startCarriers } from "#role/carriers.ts";
import { startChores } from "#role/chores.ts";
import { openFoundation } from "#role/foundation.ts";
import { startHosts } from "#role/hosts.ts";
import { joinNodes } from "#role/join-nodes.ts";
import { openAccess } from "#role/open-access.ts";
import { type Engines, openEngines } from "#role/open-engines.ts";
import { openLinking } from "#role/open-linking.ts";
import { withNotifications } from "#role/open-notifications.ts";
import { openRules } from "#role/open-rules.ts";
import type { OpenStores, Surroundings } from "#role/open-stores.ts";
import type { Parts } from "#role/parts.ts";
import { createProcessMeter } from "#role/process-meter.ts";
import { readGuide } from "#role/read-guide.ts";
import { PAGE_BYTES, readPage } from "#role/read-page.ts";
import type { Role } from "#role/role.ts";
import { countFigures, type Subject } from "#role/subject.ts";
import { createSystemReader } from "#role/system-reader.ts";
import { currentState } from "#service/event/current-state.ts";
import { createEventStreams } from "#service/event/event-streams.ts";
import type { Operations } from "#service/operation/perform.ts";
import { releaseHeld } from "#service/telemetry/release-held.ts";

export interface Started {
  readonly url: string;
  /** Undefined when no broker runs. */
  readonly mqttPort: number | undefined;
  /** Where the admin token is; undefined when the settings gave it. */
  readonly tokenFile: string | undefined;
  /** Whether the page is built and served. */
  readonly hasPage: boolean;
  /** A site of this gateway whose time zone nobody has confirmed yet. */
  readonly assumedSite: Pick<Site, "name" | "timezone"> | undefined;
  /** Performs operations for callers within the program. */
  readonly operations: Pick<Operations, "perform">;
  /** A code that signs in once, as the admin token. Undefined where it cannot be stored now. */
  readonly newSignInCode: () => Promise<string | undefined>;
  /** Uses now what somebody has renewed: the certificate of HTTP. */
  readonly reload: () => Promise<void>;
}

export async function startRole(stores: OpenStores, surroundings: Surroundings): Promise<Started> {
  const { config, opened, clocks, budgets, log } = surroundings;
  const role = await loadRole(config.role);
  const foundation = await openFoundation(stores, surroundings, role.shareTokens);
  const engines = await openEngines(foundation, await openAccess(foundation));
  const { attempt, background, dispatcher, alertTracker, webhookDispatcher } = engines;
  const linking = openLinking(engines);
  const links = await role.openLinks(linking);
  opened.defer(joinNodes({ ...engines, ...links }));
  clocks.clock.listen(({ from, to }) =>
    background.run("release points that the clock had refused", () => releaseHeld(engines, to - from)),
  );
  opened.defer(() => dispatcher.stop());
  opened.defer(() => alertTracker.stop());
  opened.defer(() => webhookDispatcher.stop());
  const { demo, carriers, hosting, allow } = await startDevices(role, engines);
  await attempt("link", "what gateways own could not be read", async () => await links.links?.sweep());
  const meter = createProcessMeter();
  opened.defer(() => meter.stop());
  const uplink = await role.openUplink(linking, meter);
  const backups = openBackups(engines);
  const parts: Parts = {
    ...linking,
    ...links,
    ...uplink,
    carriers,
    simulator: hosting.simulator,
    eventStreams: openEventStreams(engines),
    backups,
    ...withNotifications(engines, openRules(engines, allow)),
    guide: readGuide,
    system: createSystemReader({ ...engines, meter, carriers }, config),
  };
  const subjects = role.subjects(parts);
  let chores: ReturnType<typeof startChores> | undefined;
  opened.defer(() => chores?.stop());
  budgets.watch({ name: "recent_log", limit: RECENT_BYTES, used: () => approximateBytes(recentLines(log)) });
  const underWay = () => [...(demo?.underWay() ?? []), ...hosting.underWay()];
  const { server, hasPage } = await openServer(parts, subjects, underWay);
  // Opened last, so that a stop refuses new calls before it waits for anything else.
  opened.defer(() => server.stop());
  // Before it: a stop of the server waits until all connections have ended.
  opened.defer(() => links.links?.stop());
  // First of all: gateways whose link ends connect to another node at once, and so do all others.
  opened.defer(() => server.closePort());
  const { port } = await server.listen(config.port, config.host);
  await demo?.begin(parts);
  const recurring = subjects.flatMap((subject) => subject.chores ?? []);
  chores = startChores(engines, recurring);
  const { certificate, admin, operations } = engines;
  return {
    url: urlOf(config, port, certificate !== undefined),
    reload: async () => await certificate?.reload(),
    mqttPort: carriers.endpoints.mqtt?.port,
    tokenFile: admin.file,
    hasPage,
    assumedSite: await attempt("site", "the sites could not be read", () => role.assumedSite(engines)),
    operations,
    newSignInCode: () =>
      attempt("sign-in", "no code that signs in could be stored", async () => {
        return (await engines.signInCodes.create(admin.record.id)).code;
      }),
  };
}

function openBackups(engines: Engines) {
  const backups = createBackups(engines, engines.config);
  engines.opened.defer(() => backups.stop());
  return backups;
}

function openEventStreams(engines: Engines) {
  const needs = {
    ...engines,
    currentState: (filter: Parameters<typeof currentState>[1]) => currentState(engines, filter),
  };
  return createEventStreams(needs, engines.config.http);
}

/** Whatever talks to devices, and the devices that run here. */
async function startDevices(role: Role, engines: Engines) {
  const { config, opened, liveSettings } = engines;
  const simulated = createSimulatedPorts();
  const demo = await role.prepare(engines, simulated);
  await takeOver(engines);
  const carriers = await startCarriers(engines, config);
  opened.defer(() => carriers.stop());
  const allowed = () => [...liveSettings.config().lua.allow, ...(demo?.allow ?? [])];
  const allow = createLiveRules(allowed());
  liveSettings.onChange(() => allow.set(allowed()));
  const hosting = await startHosts(engines, { config, simulated, allow });
  opened.defer(() => hosting.stop());
  return { demo, carriers, hosting, allow };
}

function urlOf({ http, host }: Engines["config"], port: number, isSecure: boolean): string {
  const name = http.names[0] ?? host;
  return `${isSecure ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Each is loaded alone: a gateway starts sooner without what only a cloud needs. */
async function loadRole(name: "gateway" | "cloud"): Promise<Role> {
  return name === "cloud" ? (await import("#role/cloud.ts")).cloud : (await import("#role/gateway.ts")).gateway;
}

/** What was under way at the last end. Done before any device can send: from then on the deadlines change. */
async function takeOver({ attempt, webhookDispatcher, events, dispatcher, alertTracker }: Engines): Promise<void> {
  await attempt("webhooks", "the webhooks could not be read", () => webhookDispatcher.refresh());
  webhookDispatcher.forward(events);
  webhookDispatcher.wake();
  await attempt("commands", "open executions could not be taken over", () => dispatcher.recover());
  await attempt("alerts", "active alerts could not be taken over", () => alertTracker.recover());
}

const NO_PAGE = { files: undefined, bytes: 0 };

async function openServer(
  parts: Parts,
  subjects: readonly Subject[],
  underWay: () => readonly { readonly name: string; readonly percent: number }[],
) {
  const { config, budgets, certificate, sessionCookie, sites, troubles, version } = parts;
  const about = {
    version,
    role: config.role,
    headerPrefix: config.http.headerPrefixes[0] ?? "X-Service",
    cookieName: sessionCookie.name,
  };
  const checkReady = async () => {
    await sites.list("all", { limit: 0, offset: 0 });
  };
  const routes = createRoutes(
    { ...parts, about, checkReady, underWay },
    subjects.flatMap(({ operations = [] }) => operations),
  );
  const page = config.http.page ? readPage(troubles) : NO_PAGE;
  budgets.watch({ name: "page_files", limit: PAGE_BYTES, used: () => page.bytes });
  const server = await createServer(
    { ...parts, figures: () => countFigures(subjects) },
    { ...config.http, pageFiles: page.files, certificate },
    routes,
  );
  return { server, hasPage: page.files !== undefined };
}
