// The only file that wires things together: stores -> use cases -> carriers and routes -> server.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { createWrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { Site } from "#core/site/site.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { EVENT_LOOP } from "#event-loop";
import { createRoutes } from "#http/routes.ts";
import { createServer } from "#http/server.ts";
import { createDial } from "#link/dial.ts";
import { RECENT_BYTES, recentLines } from "#log";
import { prepareAdminToken } from "#role/admin-token.ts";
import { createBackups } from "#role/backups.ts";
import { startCarriers } from "#role/carriers.ts";
import { openCataloguePackages } from "#role/catalogue-packages.ts";
import { startChores } from "#role/chores.ts";
import { createFigures } from "#role/figures.ts";
import { ensureFirstSite, findAssumedSite } from "#role/first-site.ts";
import { startHosts } from "#role/hosts.ts";
import { openHttpCertificate } from "#role/http-certificate.ts";
import { joinNodes } from "#role/join-nodes.ts";
import { joinUntilDone } from "#role/join-until-done.ts";
import { createLiveSettings } from "#role/live-settings.ts";
import type { OpenStores, Surroundings } from "#role/open-stores.ts";
import { openTracer } from "#role/open-tracer.ts";
import { createProcessMeter } from "#role/process-meter.ts";
import { readGuide } from "#role/read-guide.ts";
import { PAGE_BYTES, readPage } from "#role/read-page.ts";
import { readProfiles } from "#role/read-profiles.ts";
import { deriveKey, readSealKey } from "#role/seal-key.ts";
import { createSystemReader } from "#role/system-reader.ts";
import { createLiveRules } from "#runtime/drivers/live-rules.ts";
import { createSimulatedPorts } from "#runtime/drivers/simulated-ports.ts";
import { createInspector } from "#runtime/inspect/create-inspector.ts";
import { createJsonChecker } from "#runtime/json-check/create-json-checker.ts";
import { createAuthenticator } from "#service/access/authenticator.ts";
import { createRefusalLog } from "#service/access/refusal-log.ts";
import { createSeal } from "#service/access/seal.ts";
import { createSessionCookie } from "#service/access/session-cookie.ts";
import { createSessions } from "#service/access/sessions.ts";
import { createSignInCodes } from "#service/access/sign-in-codes.ts";
import { createAlertTracker } from "#service/alert/alert-tracker.ts";
import { createBackground } from "#service/background.ts";
import { createRolloutRunner } from "#service/blueprint/advance-rollouts.ts";
import { createBlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { createCatalogue } from "#service/blueprint/catalogue.ts";
import { createProfileCatalog } from "#service/blueprint/profile-catalog.ts";
import { createChoreHealth } from "#service/chore-health.ts";
import { createCommandDispatcher } from "#service/command/command-dispatcher.ts";
import { createChannelRouter } from "#service/device/channel-router.ts";
import { createChildRoutes } from "#service/device/child-routes.ts";
import { deviceConfiguration } from "#service/device/configuration.ts";
import { createConfigurationSender } from "#service/device/configuration-sender.ts";
import { createConnectivity } from "#service/device/connectivity.ts";
import { createDeviceInbox } from "#service/device/device-inbox.ts";
import { createDeviceLog } from "#service/device/device-log.ts";
import { addMissingGatewayDevices } from "#service/device/gateway-device.ts";
import { createHostRouter } from "#service/device/host-router.ts";
import { currentState } from "#service/event/current-state.ts";
import { createEventHub, EVENT_BUFFER_BYTES } from "#service/event/event-hub.ts";
import { EVENT_KEY_BYTES } from "#service/event/event-id.ts";
import { createEventStreams } from "#service/event/event-streams.ts";
import { renderHappening } from "#service/event/event-wire.ts";
import { createPrepareEvent } from "#service/event/happening.ts";
import { createGatewayChanges } from "#service/link/gateway-changes.ts";
import { joinAsSet } from "#service/link/join-cloud.ts";
import { createLinkIntakes } from "#service/link/link-intake.ts";
import { createOfflineAccess } from "#service/link/offline-access.ts";
import { type GatewayReports, reportGateway } from "#service/link/report-gateway.ts";
import { createTokenSharing, watchTokens } from "#service/link/share-tokens.ts";
import { LINK_HISTORY_BYTES, LINK_LIVE_BYTES } from "#service/link/take-telemetry.ts";
import { createTelemetryLane } from "#service/link/telemetry-lane.ts";
import { createUplink } from "#service/link/uplink.ts";
import { createOperations, type Operations } from "#service/operation/perform.ts";
import type { Call } from "#service/ports.ts";
import { releaseHeld } from "#service/telemetry/release-held.ts";
import { createTelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import { createTelemetryFeed } from "#service/telemetry/telemetry-feed.ts";
import { createExecutionTraces } from "#service/trace/execution-traces.ts";
import { createWebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";
import { version } from "#version";
import { createSender, SENDER_TIMEOUT_MS } from "#webhook/create-sender.ts";

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
  /** A code that signs in once, as the admin token. */
  readonly newSignInCode: () => string;
  /** Uses now what somebody has renewed: the certificate of HTTP. */
  readonly reload: () => Promise<void>;
}

const NO_PAGE = { files: undefined, bytes: 0 };

export async function startOn(
  { records, telemetry: store, storage, installation }: OpenStores,
  { config, log, opened, clocks, budgets, shares, troubles }: Surroundings,
): Promise<Started> {
  const certificate = await openHttpCertificate({ ...clocks, log, troubles }, config);
  const folder = await readProfiles(config.blueprints.profiles, log);
  const inspector = createInspector({ shares }, { rocks: join(config.data, "rocks"), profiles: folder });
  opened.defer(() => inspector.close());
  const jsonChecker = createJsonChecker({ shares });
  opened.defer(() => jsonChecker.close());
  const background = createBackground((name, error) => log.error({ err: error, task: name }, "background work failed"));
  const { buffers: _, close: __, holdsSealed, agreeOnKey, isEmpty: ___, ...stores } = records;
  /** Stored data must never prevent a start: a part that fails is reported, and the rest serves. */
  const attempt = async <Result>(part: string, message: string, task: () => Promise<Result>) => {
    try {
      return await task();
    } catch (error) {
      troubles.report({ part, message }, { err: error });
      return undefined;
    }
  };
  const profiles = createProfileCatalog({ ...stores, onChange: inspector.useProfiles }, folder);
  await attempt("profiles", "the uploaded profiles could not be read", () => profiles.refresh());
  const sealKey = await readSealKey(config.data, async () => !config.seal.replaceLostKey && (await holdsSealed()));
  const keyCheck = deriveKey(sealKey, "check of nodes", KEY_CHECK_BYTES);
  if (!(await agreeOnKey(keyCheck, config.seal.replaceLostKey))) {
    throw new Error(
      `${join(config.data, "seal.key")} is not the key of the other nodes on this database; copy the file from one of them`,
    );
  }
  // Restored records have another epoch: their events get numbers that others had before, under ids of their own.
  const epoch = await attempt("events", "streams cannot resume where they stopped", () => records.uplinks.epoch());
  const tracer = openTracer(config, log);
  opened.defer(() => tracer.stop());
  const liveSettings = createLiveSettings(records.settings, config);
  await attempt("settings", "settings that were changed could not be read; the configured ones hold", () =>
    liveSettings.refresh(),
  );
  const telemetryLane = createTelemetryLane({ ...stores, ...clocks, telemetry: store, budgets });
  // Before any device can send: what it sends is also for the cloud.
  await attempt("link", "what the cloud lacks could not be read", () => telemetryLane.restart());
  const pause = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        callOff();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const callOff = clocks.after(ms, end);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end);
    });
  const tokenSharing = createTokenSharing({ ...stores, ...clocks, pause, log });
  const base = {
    ...stores,
    tokens: config.role === "cloud" ? watchTokens(stores.tokens, tokenSharing.changed) : stores.tokens,
    liveSettings,
    tracer,
    executionTraces: createExecutionTraces(tracer),
    role: config.role,
    telemetry: telemetryLane.telemetry,
    ...clocks,
    inspectPackage: inspector.inspect,
    compilePackage: inspector.compile,
    buildScripts: inspector.build,
    checkJson: jsonChecker.check,
    inspectProfiles: inspector.inspectProfiles,
    profiles,
    sender: createSender({ allowPrivate: config.webhooks.allowPrivate, timeoutMs: SENDER_TIMEOUT_MS }),
    seal: createSeal(sealKey),
    eventKey: deriveKey(sealKey, `ids of events ${epoch ?? ""}`, EVENT_KEY_BYTES),
    renderHappening,
    prepareEvent: createPrepareEvent(renderHappening),
    configurationSender: createConfigurationSender({ nodes: stores.nodes, after: clocks.after }),
    newId: uuidv7,
    randomBytes: (length: number) => randomBytes(length),
    background,
    budgets,
    troubles,
    choreHealth: createChoreHealth(troubles),
    shares,
    log,
    responseTimeoutMs: toMilliseconds(config.commands.responseTimeout),
    waitLimitMs: toMilliseconds(config.commands.waitLimit),
  };
  const { offlineAccess: offlineFor, credentialLifetime, maxSites, maxDevices, maxSeries } = config.link;
  const offlineAccess = createOfflineAccess({ ...base, pause }, offlineFor === "off" ? 0 : toMilliseconds(offlineFor));
  await attempt("link", "when the cloud was last connected could not be read", () => offlineAccess.load());
  const admin = await prepareAdminToken(base, config.data, config.admin.token);
  // From here on the folder is an installation. On a full disk it is noted at a later start.
  await attempt("installation", "installation.json cannot be written", async () => installation.complete());
  const authenticator = createAuthenticator(base, admin.record, offlineAccess.isOpen);
  opened.defer(() =>
    authenticator.flushUses().catch((error: unknown) => log.warn({ err: error }, "the last uses of tokens are lost")),
  );
  const openSessions = createSessions({ ...base, authenticator }, toMilliseconds(config.sessions.idle));
  opened.defer(() =>
    openSessions.flushUses().catch((error: unknown) => log.warn({ err: error }, "the last uses of sessions are lost")),
  );
  const refusals = createRefusalLog(base);
  opened.defer(() =>
    refusals
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, "the last refused calls are not in the audit log")),
  );
  opened.defer(() => background.idle());
  const catalog = createBlueprintCatalog(base);
  budgets.watch(catalog.memory);
  const catalogue = createCatalogue({ ...base, catalog, packages: openCataloguePackages(config.blueprints.catalogue) });
  budgets.watch(catalogue.memory);
  const children = createChildRoutes(records.devices);
  const channel = createChannelRouter(children);
  const hosts = createHostRouter(base);
  const position = await records.outbox.latest();
  const events = createEventHub({
    position,
    budget: budgets.open("event_buffer", EVENT_BUFFER_BYTES),
  });
  opened.defer(records.outbox.watch(events.take, position, events.skip));
  budgets.watch(records.outbox.size);
  const connectivity = createConnectivity({
    elapsed: base.elapsed,
    silenceMs: toMilliseconds(config.devices.silence),
    onChange: (deviceId, status) => {
      background.run("tell a change of connectivity", async () => {
        const device = await records.devices.find(deviceId);
        if (device === undefined) return;
        const { siteId } = device;
        const event = base.prepareEvent({ kind: "connectivity", siteId, deviceId, status, at: base.now() });
        try {
          await records.outbox.append([event]);
        } catch (error) {
          // A full disk must not hide it from those who listen now.
          events.publish(event);
          throw error;
        }
      });
    },
  });
  const dispatcher = createCommandDispatcher({
    ...base,
    channel,
    onDropped: (deviceId, { executionId, state }) =>
      log.debug({ deviceId, executionId, state }, "a response came too late to count"),
  });
  dispatcher.onEnd((execution) => base.executionTraces.ended(execution));
  const webhookDispatcher = createWebhookDispatcher(base);
  const alertTracker = createAlertTracker({
    ...base,
    catalog,
    webhookDispatcher,
    unconfirmedAfterMs: toMilliseconds(config.alerts.unconfirmedAfter),
  });
  const deviceLog = createDeviceLog({ ...base, events });
  const needs = {
    ...base,
    deviceLog,
    authenticator,
    openSessions,
    signInCodes: createSignInCodes(base),
    sessionLifetimeMs: toMilliseconds(config.sessions.lifetime),
    sessionCookie: createSessionCookie(Buffer.from(deriveKey(sealKey, "name of the cookie", 4)).toString("hex")),
    wrongTokens: createWrongTokenLimit(config.http.wrongTokenLimit),
    refusals,
    catalog,
    catalogue,
    children,
    mayRegisterChildren: config.devices.registerChildren,
    channel,
    hosts,
    events,
    connectivity,
    dispatcher,
    alertTracker,
    webhookDispatcher,
    feed: createTelemetryFeed(),
    telemetryCounter: createTelemetryCounter(),
  };
  const inbox = createDeviceInbox(needs);
  const telemetryBudget = budgets.open("link_history", LINK_HISTORY_BYTES);
  const liveBudget = budgets.open("link_values", LINK_LIVE_BYTES);
  // The operations are declared later, when everything that they need runs. Calls wait until then.
  const operations = createOperations(needs);
  const linking = {
    ...needs,
    offlineAccess,
    takesTokens: offlineFor !== "off",
    credentialLifetimeMs: toMilliseconds(credentialLifetime),
    linkedLimits: { sites: maxSites, devices: maxDevices, series: maxSeries },
    operations,
    telemetryLane,
    telemetryBudget,
    liveBudget,
    linkIntakes: createLinkIntakes({ shares, budgets, loop: EVENT_LOOP, pause }),
    version: version(),
    pause,
    random: Math.random,
    ...createDial((url) => config.link.allowLocal || url === config.cloud.url),
  };
  const gatewayChanges = config.role === "cloud" ? createGatewayChanges(linking) : undefined;
  // Loaded in a cloud alone: a gateway starts sooner without it.
  const links =
    gatewayChanges &&
    (await import("#service/link/links.ts")).createLinks({ ...linking, gatewayChanges, tokenSharing });
  if (links !== undefined) channel.add(links.carrier);
  opened.defer(joinNodes({ ...needs, links, gatewayChanges, tokenSharing }));
  clocks.clock.listen(({ from, to }) =>
    background.run("release points that the clock had refused", () => releaseHeld(needs, to - from)),
  );
  opened.defer(() => dispatcher.stop());
  opened.defer(() => alertTracker.stop());
  opened.defer(() => webhookDispatcher.stop());
  if (config.role === "gateway") {
    if (!config.demo)
      await attempt("site", "the first site could not be made", () => ensureFirstSite(needs, BOOTSTRAP, "My site"));
  }
  const simulated = createSimulatedPorts();
  const demo =
    config.role === "gateway" && config.demo
      ? await attempt("demo", "the demo site does not run", async () =>
          (await import("#role/demo/start-demo.ts")).startDemo(needs, BOOTSTRAP, { data: config.data, simulated }),
        )
      : undefined;
  opened.defer(() => demo?.stop());
  if (config.role === "gateway") {
    await attempt("gateway", "sites without a device of type GATEWAY could not get one", () =>
      addMissingGatewayDevices(needs, BOOTSTRAP),
    );
  }
  await attempt("webhooks", "the webhooks could not be read", () => webhookDispatcher.refresh());
  webhookDispatcher.forward(events);
  webhookDispatcher.wake();
  // Done before any device can send: from then on the deadlines change.
  await attempt("commands", "open executions could not be taken over", () => dispatcher.recover());
  await attempt("alerts", "active alerts could not be taken over", () => alertTracker.recover());
  const carriers = await startCarriers(
    { ...base, channel, inbox, connectivity, configurationOf: (deviceId) => deviceConfiguration(needs, deviceId) },
    config,
  );
  opened.defer(() => carriers.stop());
  const allowed = () => [...liveSettings.config().lua.allow, ...(demo?.allow ?? [])];
  const allow = createLiveRules(allowed());
  liveSettings.onChange(() => allow.set(allowed()));
  const hosting = await startHosts(
    { ...needs, inbox, configurationOf: (deviceId) => deviceConfiguration(needs, deviceId) },
    { config, simulated, allow },
  );
  opened.defer(() => hosting.stop());
  await attempt("link", "what gateways own could not be read", async () => await links?.sweep());
  const meter = createProcessMeter();
  opened.defer(() => meter.stop());
  let reports: GatewayReports | undefined;
  const uplink = config.role === "gateway" ? createUplink({ ...linking, onTurn: () => reports?.wake() }) : undefined;
  opened.defer(() => uplink?.stop());
  await attempt("link", "the link to the cloud does not run", async () => await uplink?.restart());
  if (uplink !== undefined) {
    const join = { ...linking, uplink };
    const startedAt = base.elapsed();
    const measureLoad = async () => {
      const { mainThreadBusy: mainThread, memoryBytes } = await meter.read();
      const load = { mainThread, memoryBytes, freeBytes: storage.reserve.free() };
      return { load, uptimeMs: base.elapsed() - startedAt };
    };
    reports = reportGateway({ ...join, inbox, measureLoad }, { ...GATEWAY_ITSELF, operation: "reportGateway" });
    opened.defer(() => reports?.stop());
    const stopJoining = new AbortController();
    opened.defer(() => stopJoining.abort());
    const joining = {
      ...linking,
      troubles,
      join: () => joinAsSet(join, { ...GATEWAY_ITSELF, operation: "joinCloud" }, config.cloud),
    };
    background.run("join the cloud", () => joinUntilDone(joining, stopJoining.signal));
  }
  const eventStreams = createEventStreams(
    { ...needs, currentState: (filter) => currentState(needs, filter) },
    config.http,
  );
  const backups = createBackups(needs, config);
  opened.defer(() => backups.stop());
  const routes = createRoutes(
    {
      ...needs,
      backups,
      simulator: hosting.simulator,
      eventStreams,
      links,
      gatewayChanges,
      operations,
      join: uplink && { ...linking, uplink },
    },
    {
      about: {
        version: version(),
        role: config.role,
        headerPrefix: config.http.headerPrefixes[0] ?? "X-Service",
        cookieName: needs.sessionCookie.name,
      },
      endpoints: carriers.endpoints,
      issueCertificate: carriers.issueCertificate,
      retentionDefault: () => liveSettings.config().telemetry.retention,
      checkReady: async () => {
        await records.sites.list("all", { limit: 0, offset: 0 });
      },
      troubles,
      system: createSystemReader({ ...needs, meter, storage, carriers }, config),
      guide: readGuide(),
      underWay: () => [...(demo?.underWay() ?? []), ...hosting.underWay()],
    },
  );
  let chores: ReturnType<typeof startChores> | undefined;
  opened.defer(() => chores?.stop());
  const page = config.http.page ? readPage(troubles) : NO_PAGE;
  budgets.watch({ name: "recent_log", limit: RECENT_BYTES, used: () => approximateBytes(recentLines(log)) });
  budgets.watch({ name: "page_files", limit: PAGE_BYTES, used: () => page.bytes });
  const server = await createServer(
    { ...needs, backups, figures: createFigures({ ...needs, carriers, uplink, certificate }, config) },
    { ...config.http, pageFiles: page.files, certificate },
    routes,
  );
  // Opened last, so that a stop refuses new calls before it waits for anything else.
  opened.defer(() => server.stop());
  // Before it: a stop of the server waits until all connections have ended.
  opened.defer(() => links?.stop());
  // First of all: gateways whose link ends connect to another node at once, and so do all others.
  opened.defer(() => server.closePort());
  const { port } = await server.listen(config.port, config.host);
  demo?.fill();
  const rolloutRunner = createRolloutRunner({ ...needs, operations });
  chores = startChores({ ...needs, storage, links, backups, rolloutRunner, certificate }, config);
  const host = config.http.names[0] ?? config.host;
  return {
    url: `${certificate === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    reload: async () => await certificate?.reload(),
    mqttPort: carriers.endpoints.mqtt?.port,
    tokenFile: admin.file,
    hasPage: page.files !== undefined,
    assumedSite:
      config.role === "gateway"
        ? await attempt("site", "the sites could not be read", () => findAssumedSite(needs))
        : undefined,
    operations,
    newSignInCode: () => needs.signInCodes.create(admin.record.id).code,
  };
}

const KEY_CHECK_BYTES = 16;

/** Changes that the program makes by itself at its first start. */
const BOOTSTRAP: Call = {
  caller: { tokenId: "bootstrap", tokenName: "first start", level: "system", sites: "all" },
  operation: "firstStart",
  requestId: "first-start",
  remoteAddress: "local",
};

/** Changes that a gateway makes by itself at any time. */
const GATEWAY_ITSELF: Omit<Call, "operation"> = {
  caller: { tokenId: "gateway", tokenName: "gateway", level: "system", sites: "all" },
  requestId: "gateway",
  remoteAddress: "local",
};
