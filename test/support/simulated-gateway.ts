// A gateway that speaks the real protocol over a real WebSocket, with records in memory: one site, the device that stands
// for it, and devices that end every command at once. Many of them fit into one process.

import { createHash } from "node:crypto";
import { uuidv7 } from "uuidv7";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Micros } from "#core/command/execution.ts";
import { UNSET_FIELDS } from "#core/device/device.ts";
import type { Uplink as StoredUplink } from "#core/link/gateway.ts";
import { GATEWAY_MANIFEST, renderFigures } from "#core/link/gateway-figures.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { createDial } from "#outbound/link/dial.ts";
import { createTelemetryLane } from "#service/link/telemetry-lane.ts";
import { createUplink, type Uplink, type UplinkNeeds } from "#service/link/uplink.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";
import { createMemoryExecutions } from "./memory-executions.ts";
import { createMemoryOutbox } from "./memory-outbox.ts";
import { NO_RULES } from "./no-rules.ts";
import { PLAIN_INTAKES } from "./plain-intake.ts";

const dial = createDial(() => true);

const MANIFEST = `blueprint_spec: device/3.0
display_name: Fleet device
runtime: {type: embedded}
telemetry:
${Array.from({ length: 10 }, (_, at) => `  value_${at}: {type: float, display_name: Value ${at}}`).join("\n")}
command_groups:
  main: {display_name: Main}
commands:
  start: {group: main, display_name: Start}
`;

function blueprintOf(id: string, text: string) {
  const content = Buffer.from(text);
  const { blueprint } = parseManifest(text);
  if (blueprint === undefined) throw new Error("the manifest of a simulated gateway is not valid");
  return { id, digest: createHash("sha256").update(content).digest("hex"), content, blueprint };
}

const BLUEPRINTS = new Map(
  [blueprintOf("device", MANIFEST), blueprintOf("gateway", GATEWAY_MANIFEST)].map((one) => [one.id, one]),
);

const nothing = async () => {};
const never = () => {
  throw new Error("a simulated gateway does not do this");
};
const page = <Item>(items: readonly Item[]) => ({ items, total: items.length });
const now = () => instant(Date.now());
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
    signal.addEventListener("abort", end);
  });

/** Takes everything and keeps nothing: the cloud gets points from the queue of the link. */
const EMPTY_STORE = {
  append: nothing,
  pack: async () => [],
  newestBefore: async () => undefined,
  latest: () => new Map(),
} as unknown as TelemetryStore;

export interface SimulatedGateway {
  /** The first of its devices. */
  readonly deviceId: string;
  readonly uplink: Uplink;
  /** Reports values of its devices, and figures about itself. */
  report(): Promise<void>;
}

interface Simulation {
  /** Called when the gateway is connected, or is no longer. */
  readonly onTurn?: () => void;
  /** Called with the reason when a connection has failed, or was ended by the cloud. */
  readonly onFailure?: (reason: string) => void;
  readonly devices?: number;
}

/** Exchanges the code for a credential; the gateway connects when its uplink is started. */
export async function joinSimulated(
  url: string,
  code: string,
  { onTurn = () => {}, onFailure, devices: deviceCount = 1 }: Simulation = {},
): Promise<SimulatedGateway> {
  const { gatewayId, credential } = await dial.askCloud(url, { code, name: "Simulated", version: "0.0.0-fleet" });
  const [siteId, ownId, deviceId, epoch] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const deviceIds = [deviceId, ...Array.from({ length: deviceCount - 1 }, () => uuidv7())];
  const times = { createdAt: now(), updatedAt: now() };
  const site = { id: siteId, name: `Site ${gatewayId.slice(-6)}`, timezone: "UTC", location: undefined, ...times };
  const device = (id: string, type: string, slug: string, blueprintId: string) =>
    [id, { ...UNSET_FIELDS, id, siteId, name: slug, slug, type, blueprintId, ...times }] as const;
  const devices = new Map([
    device(ownId, "GATEWAY", "gateway", "gateway"),
    ...deviceIds.map((id, at) => device(id, "STANDALONE", at === 0 ? "device" : `device-${at}`, "device")),
  ]);
  const outbox = createMemoryOutbox();
  const executions = createMemoryExecutions(outbox);
  const latest = async () => (await executions.changesAfter(0, 1)).latest + 1;
  const stored: StoredUplink = {
    url,
    gatewayId,
    credential: Buffer.from(credential),
    joinedAt: now(),
    historyBefore: undefined,
    confirmed: 0,
    cloudEpoch: undefined,
  };
  let cloudEpoch: string | undefined;
  const uplinks = {
    epoch: async () => epoch,
    get: async () => ({ ...stored, cloudEpoch }),
    noteCloud: async (name: string) => {
      cloudEpoch = name;
    },
    changesAfter: async () => ({ keys: [], upTo: await latest() }),
    amongChanged: async () => [],
    latest,
    confirm: nothing,
    hours: async () => [],
    markHours: nothing,
    unmarkHours: nothing,
    noteHistory: nothing,
    noteTariffs: nothing,
    noteControls: nothing,
    noteInterlocks: nothing,
    noteRules: nothing,
  } as unknown as Needs["uplinks"];
  const lane = createTelemetryLane({ uplinks, telemetry: EMPTY_STORE, now, budgets: createByteBudgets() });
  await lane.restart();
  const end = (of: string, id: string) => {
    const at = (Date.now() * 1_000) as Micros;
    void (async () => {
      await executions.record(of, id, {
        state: "STARTED",
        payload: undefined,
        at,
        patienceMs: 30_000,
        repeated: false,
      });
      const done = {
        state: "SUCCEEDED",
        payload: {},
        at: (at + 1) as Micros,
        patienceMs: 30_000,
        repeated: false,
      } as const;
      await executions.record(of, id, done);
    })();
  };
  function warn(about: object, text: string): void {
    const { err } = about as { readonly err?: unknown };
    if (err instanceof Error && onFailure !== undefined) onFailure(err.message);
    else console.error(text, about);
  }
  const needs = {
    uplinks,
    executions,
    outbox,
    telemetry: lane.telemetry,
    telemetryLane: lane,
    sites: { list: async () => page([site]), find: async () => site },
    devices: {
      list: async () => page([...devices.values()]),
      find: async (id: string) => devices.get(id),
      properties: async () => new Map(),
    },
    blueprints: {
      list: async () => page([...BLUEPRINTS.values()]),
      find: async (id: string) => BLUEPRINTS.get(id),
      content: async (id: string) => BLUEPRINTS.get(id)?.content,
    },
    catalog: { get: async (id: string) => ({ blueprint: BLUEPRINTS.get(id)?.blueprint as Blueprint }) },
    configurations: { get: async () => [] },
    corrections: { ofDevices: async () => new Map() },
    tariffs: { find: async () => undefined, priceDays: async () => [] },
    priceSources: { ofSite: async () => [] },
    controls: { load: async () => ({ claims: [], states: [] }), history: async () => page([]) },
    interlocks: { ofSite: async () => [] },
    rules: NO_RULES,
    notifications: { find: async () => undefined, list: async () => ({ items: [], total: 0 }) },
    alerts: { list: async () => page([]) },
    deviceLogs: { list: async () => page([]) },
    audit: { list: async () => page([]) },
    children: { place: nothing },
    executionTraces: { begun: () => {} },
    ruleCauses: { executed: () => {} },
    buildScripts: never,
    inspectPackage: never,
    operations: never,
    randomBytes: never,
    offlineAccess: { follow: nothing },
    tokens: { putOfCloud: async () => [] },
    takesTokens: false,
    authenticator: { forget: () => {} },
    credentialLifetimeMs: Number.POSITIVE_INFINITY,
    channel: { isReady: () => true },
    dispatcher: {
      openCount: 0,
      openOf: () => ({ count: 0, bytes: 0 }),
      accept: ({ execution }: { readonly execution: { readonly id: string; readonly deviceId: string } }) =>
        end(execution.deviceId, execution.id),
    },
    directCommands: undefined,
    connectivity: { status: () => "ONLINE" },
    commandGuard: { permit: async () => {} },
    seal: { open: (sealed: Uint8Array) => Buffer.from(sealed).toString() },
    version: "0.0.0-fleet",
    now,
    elapsed: () => performance.now(),
    newId: uuidv7,
    random: Math.random,
    pause,
    openLinkSocket: dial.openLinkSocket,
    linkIntakes: PLAIN_INTAKES,
    onTurn,
    log: { info: () => {}, warn },
  } satisfies Record<keyof UplinkNeeds, unknown>;
  // What it does not name is for things that never happen here.
  const uplink = createUplink(needs as unknown as UplinkNeeds);
  return {
    deviceId,
    uplink,
    async report() {
      const status = await uplink.status();
      if (status === undefined) return;
      const load = { mainThread: 0.01, memoryBytes: 1e8, freeBytes: 1e9 };
      const figures = renderFigures({ ...status, version: needs.version, uptimeMs: performance.now(), load }, now());
      const values = () => new Map(Array.from({ length: 10 }, (_, at) => [`value_${at}`, Math.random()] as const));
      await lane.telemetry.append([
        ...deviceIds.map((id) => ({ deviceId: id, at: now(), values: values() })),
        { deviceId: ownId, at: now(), values: figures },
      ]);
    },
  };
}
