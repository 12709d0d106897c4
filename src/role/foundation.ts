// What every other part stands on: the stores, the clocks, the keys and the threads that read what people upload.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pushContact } from "#core/notification/push-contact.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { createMessageSender, MESSAGE_TIMEOUT_MS } from "#outbound/message/create-message-sender.ts";
import { VAPID_SEED_BYTES } from "#outbound/message/push-crypto.ts";
import { createFetcher, FETCHER_TIMEOUT_MS } from "#outbound/price/create-fetcher.ts";
import { createSender, SENDER_TIMEOUT_MS } from "#outbound/webhook/create-sender.ts";
import { openHttpCertificate } from "#role/http-certificate.ts";
import { createLiveSettings } from "#role/live-settings.ts";
import { newId } from "#role/new-id.ts";
import type { OpenStores, Surroundings } from "#role/open-stores.ts";
import { openTracer } from "#role/open-tracer.ts";
import { readProfiles } from "#role/read-profiles.ts";
import { deriveKey, readSealKey } from "#role/seal-key.ts";
import { createInspector } from "#runtime/inspect/create-inspector.ts";
import { createJsonChecker } from "#runtime/json-check/create-json-checker.ts";
import { createSeal } from "#service/access/seal.ts";
import { createBackground } from "#service/background.ts";
import { createProfileCatalog } from "#service/blueprint/profile-catalog.ts";
import { createChoreHealth } from "#service/chore-health.ts";
import { createConfigurationSender } from "#service/device/configuration-sender.ts";
import { EVENT_KEY_BYTES } from "#service/event/event-id.ts";
import { renderHappening } from "#service/event/event-wire.ts";
import { createPrepareEvent } from "#service/event/happening.ts";
import { createTokenSharing, type TokenHolders, type TokenSharing } from "#service/link/share-tokens.ts";
import { createTelemetryLane } from "#service/link/telemetry-lane.ts";
import { createExecutionTraces } from "#service/trace/execution-traces.ts";

const KEY_CHECK_BYTES = 16;

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

export async function openFoundation(
  { records, telemetry: store, storage, installation }: OpenStores,
  { config, log, opened, clocks, budgets, shares, troubles }: Surroundings,
  shareTokens: (holders: TokenHolders, sharing: TokenSharing) => TokenHolders,
) {
  const certificate = await openHttpCertificate({ ...clocks, log, troubles }, config);
  const background = createBackground((name, error) => log.error({ err: error, task: name }, "background work failed"));
  const { buffers: _, close: __, holdsSealed: ___, agreeOnKey: ____, isEmpty: _____, ...stores } = records;
  const attempt = createAttempt(troubles);
  const pause = createPause(clocks.after);
  const sealKey = await openSealKey(config, records);
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
  const tokenSharing = createTokenSharing({ ...stores, ...clocks, pause, log });
  return {
    ...stores,
    ...clocks,
    ...shareTokens(stores, tokenSharing),
    tokenSharing,
    config,
    opened,
    storage,
    installation,
    certificate,
    attempt,
    pause,
    liveSettings,
    tracer,
    executionTraces: createExecutionTraces(tracer),
    role: config.role,
    telemetry: telemetryLane.telemetry,
    telemetryLane,
    ...(await openInspection(records, { config, log, opened, shares }, attempt)),
    ...createOutbound(config, deriveKey(sealKey, "web push", VAPID_SEED_BYTES)),
    sealKey,
    seal: createSeal(sealKey),
    eventKey: deriveKey(sealKey, `ids of events ${epoch ?? ""}`, EVENT_KEY_BYTES),
    renderHappening,
    prepareEvent: createPrepareEvent(renderHappening),
    configurationSender: createConfigurationSender({ nodes: stores.nodes, after: clocks.after }),
    newId,
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
}

/** The ways to addresses that people enter. */
function createOutbound({ webhooks, notifications, http }: Surroundings["config"], vapidSeed: Uint8Array) {
  const { allowPrivate } = webhooks;
  const push = { vapidSeed, pushContact: pushContact(notifications.pushContact, http.names) };
  return {
    sender: createSender({ allowPrivate, timeoutMs: SENDER_TIMEOUT_MS }),
    messageSender: createMessageSender({ allowPrivate, timeoutMs: MESSAGE_TIMEOUT_MS, ...push }),
    priceFetcher: createFetcher({ allowPrivate, timeoutMs: FETCHER_TIMEOUT_MS }),
  };
}

type Attempt = <Result>(part: string, message: string, task: () => Promise<Result>) => Promise<Result | undefined>;

/** Stored data must never prevent a start: a part that fails is reported, and the rest serves. */
function createAttempt(troubles: Surroundings["troubles"]): Attempt {
  return async (part, message, task) => {
    try {
      return await task();
    } catch (error) {
      troubles.report({ part, message }, { err: error });
      return undefined;
    }
  };
}

/** The threads that read what people upload. */
async function openInspection(
  records: OpenStores["records"],
  { config, log, opened, shares }: Pick<Surroundings, "config" | "log" | "opened" | "shares">,
  attempt: Attempt,
) {
  const folder = await readProfiles(config.blueprints.profiles, log);
  const inspector = createInspector({ shares }, { rocks: join(config.data, "rocks"), profiles: folder });
  opened.defer(() => inspector.close());
  const jsonChecker = createJsonChecker({ shares });
  opened.defer(() => jsonChecker.close());
  const profiles = createProfileCatalog({ ...records, onChange: inspector.useProfiles }, folder);
  await attempt("profiles", "the uploaded profiles could not be read", () => profiles.refresh());
  return {
    inspectPackage: inspector.inspect,
    compilePackage: inspector.compile,
    buildScripts: inspector.build,
    checkJson: jsonChecker.check,
    inspectProfiles: inspector.inspectProfiles,
    readIcal: inspector.readIcal,
    profiles,
  };
}

/** Resolves after the time, or when the signal fires. */
function createPause(after: Surroundings["clocks"]["after"]): (ms: number, signal: AbortSignal) => Promise<void> {
  return (ms, signal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        callOff();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const callOff = after(ms, end);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end);
    });
}

async function openSealKey(
  { data, seal }: Surroundings["config"],
  { holdsSealed, agreeOnKey }: Pick<OpenStores["records"], "holdsSealed" | "agreeOnKey">,
) {
  const sealKey = await readSealKey(data, async () => !seal.replaceLostKey && (await holdsSealed()));
  const keyCheck = deriveKey(sealKey, "check of nodes", KEY_CHECK_BYTES);
  if (!(await agreeOnKey(keyCheck, seal.replaceLostKey))) {
    throw new Error(
      `${join(data, "seal.key")} is not the key of the other nodes on this database; copy the file from one of them`,
    );
  }
  return sealKey;
}
