// Devices of type LUA: their blueprint's script runs in the pool, and no code outside this folder knows that it does.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import { failureWords } from "#service/device/failure-words.ts";
import type { Carrier, DeviceConfiguration } from "#service/ports/carrier.ts";
import type { DeviceHost, HostedStatus } from "#service/ports/device-host.ts";
import type { Needs } from "#service/ports.ts";
import { createHostAlerts, type HostAlertNeeds, type Obstacle } from "./host-alerts.ts";
import { createLuaCarrier } from "./lua-carrier.ts";
import { createLuaPool, type LuaPoolSettings, runs, type ScriptStatus } from "./lua-pool.ts";
import type { ScriptContext } from "./pool-messages.ts";
import { createProgramCache } from "./program-cache.ts";
import { createScriptChildren, type ScriptChildrenNeeds } from "./script-children.ts";
import { allBuckets, bucketValues, missingValues } from "./script-context.ts";
import { createScriptOutput, type ScriptOutputNeeds } from "./script-output.ts";

export interface LuaHostNeeds
  extends ScriptOutputNeeds,
    ScriptChildrenNeeds,
    Pick<Needs, "devices" | "blueprints" | "buildScripts" | "randomBytes" | "now">,
    HostAlertNeeds {
  readonly onStatus: (device: Device, status: HostedStatus) => void;
  /** How long a response is waited for; a script that is busy for longer never starts the command. */
  readonly responseTimeoutMs: number;
  /** How long a device may be silent before it counts as gone. */
  readonly silenceMs: number;
}

export interface LuaHost {
  readonly host: DeviceHost;
  readonly carrier: Carrier;
  /** The memory of all scripts together. */
  readonly memory: BufferUse;
  stop(): Promise<void>;
}

interface Hosted {
  readonly device: Device;
  readonly since: number;
  blueprint: Blueprint | undefined;
  /** Why it does not run; undefined while the pool runs it. */
  failure: HostedStatus | undefined;
  /** The buckets that the script was given, as text. */
  readonly given: Map<string, string>;
  /** Required values that nobody has set, as `bucket.parameter`. */
  missing: readonly string[];
  callOff: (() => void) | undefined;
  /** When its status was last reported while its state stayed the same. */
  reportedAt: number;
  reportedState: HostedStatus["state"] | undefined;
}

/** Missing rocks may appear and overload may pass: a program that could not be built is tried again after this time. */
const BUILD_AGAIN_MS = 60_000;
/** A script that fails in every job is not reported each time. */
const NEWS_MS = 1_000;

export function createLuaHost(needs: LuaHostNeeds, settings: LuaPoolSettings = {}): LuaHost {
  const hosted = new Map<string, Hosted>();
  const reachable = new Set<string>();
  /** The states that the pool reported last. */
  const states = new Map<string, ScriptStatus["state"]>();
  const programs = createProgramCache(needs);
  const output = createScriptOutput(needs);
  const children = createScriptChildren(needs, {
    respond: (deviceId, response) => output.respond(deviceId, response),
    configurationWritten: (deviceId, change) => pool.configurationWritten(deviceId, change),
  });
  const { registerChild, respond } = children;
  const alerts = createHostAlerts(needs, output.telemetry);
  const { telemetry } = alerts;
  const pool = createLuaPool({ ...output, telemetry, registerChild, respond, now: needs.now, statusChanged }, settings);
  const carrier = createLuaCarrier(needs, { pool, children, sendConfiguration });
  // A running script counts as online, whether or not it sends anything.
  const signsOfLife = setInterval(() => {
    for (const deviceId of reachable) needs.inbox.alive(deviceId);
  }, needs.silenceMs / 3);
  let stopped = false;

  function statusChanged(deviceId: string, status: ScriptStatus): void {
    const one = hosted.get(deviceId);
    const former = states.get(deviceId);
    states.set(deviceId, status.state);
    if (!runs(status.state)) children.forget(deviceId);
    if (!runs(former) && runs(status.state)) {
      reachable.add(deviceId);
      needs.inbox.reachable(deviceId);
      if (one !== undefined) needs.background.run("bring a script's configuration up to date", () => refresh(one));
    }
    // Replacing one script by another is no absence: a device is offline only if it stays away.
    const isAway = !runs(status.state) && status.state !== "STARTING";
    if (isAway && reachable.delete(deviceId)) needs.inbox.unreachable(deviceId);
    if (one === undefined) return;
    const obstacle = obstacleOf(one, status);
    if (runs(status.state)) alerts.changed(deviceId, obstacle);
    report(one, statusOf(status, obstacle));
  }

  function report(one: Hosted, status: HostedStatus): void {
    const now = needs.now();
    if (one.reportedState === status.state && now - one.reportedAt < NEWS_MS) return;
    one.reportedState = status.state;
    one.reportedAt = now;
    needs.onStatus(one.device, status);
  }

  async function start(device: Device): Promise<void> {
    const former = hosted.get(device.id);
    former?.callOff?.();
    const one: Hosted = {
      device,
      since: needs.now(),
      blueprint: undefined,
      failure: undefined,
      given: new Map(),
      missing: [],
      callOff: undefined,
      reportedAt: 0,
      reportedState: undefined,
    };
    hosted.set(device.id, one);
    alerts.restart(device.id);
    const program = await programOf(one);
    // Replaced or stopped meanwhile.
    if (hosted.get(device.id) !== one || stopped) return;
    if (typeof program !== "string") await pool.start(device.id, program, () => contextOf(one));
    else fail(one, program);
  }

  async function programOf(one: Hosted): Promise<ScriptProgram | string> {
    const { device } = one;
    if (device.blueprintId === undefined) return "the device has no blueprint";
    try {
      one.blueprint = await needs.blueprintOf(device);
      return await programs.get(device.blueprintId);
    } catch (error) {
      return failureWords(needs, error, "the blueprint could not be read");
    }
  }

  function fail(one: Hosted, message: string): void {
    const { id } = one.device;
    const startCount = pool.status(id)?.startCount ?? 0;
    pool.stop(id);
    const now = needs.now();
    one.callOff = needs.after(BUILD_AGAIN_MS, () => {
      needs.background.run("start a script again", () => start(one.device));
    });
    one.failure = {
      state: "FAILED",
      since: now,
      startCount,
      lastError: { message, file: undefined, line: undefined, at: now },
      restartAt: instant(now + BUILD_AGAIN_MS),
      memoryBytes: undefined,
      overrun: undefined,
    };
    report(one, one.failure);
  }

  async function contextOf(one: Hosted): Promise<ScriptContext> {
    try {
      return await readContext(one);
    } catch (error) {
      throw new Error(failureWords(needs, error, "its configuration or storage could not be read"));
    }
  }

  async function readContext(one: Hosted): Promise<ScriptContext> {
    const { id } = one.device;
    const [device, configuration, storage] = await Promise.all([
      needs.devices.find(id),
      needs.configurationOf(id),
      needs.scripts.get(id),
    ]);
    one.given.clear();
    for (const [bucket, values] of configuration) one.given.set(bucket, JSON.stringify(values));
    one.missing = one.blueprint === undefined ? [] : missingValues(one.blueprint, configuration);
    const buckets = one.blueprint === undefined ? new Map() : allBuckets(one.blueprint, configuration);
    const randomSeed = new DataView(needs.randomBytes(4).slice().buffer).getUint32(0);
    const { slug, siteId } = device ?? one.device;
    return { deviceId: id, slug, siteId, configuration: buckets, storage, isConnected: true, randomSeed };
  }

  /** Configuration that was written between reading the context and the start has not reached the script. */
  async function refresh(one: Hosted): Promise<void> {
    const configuration = await needs.configurationOf(one.device.id);
    const changed = [...configuration].filter(([bucket, values]) => one.given.get(bucket) !== JSON.stringify(values));
    giveConfiguration(
      one,
      configuration,
      changed.map(([bucket]) => bucket),
    );
  }

  function giveConfiguration(one: Hosted, configuration: DeviceConfiguration, buckets: readonly string[]): void {
    one.missing = one.blueprint === undefined ? [] : missingValues(one.blueprint, configuration);
    const known = pool.status(one.device.id);
    if (known !== undefined && runs(known.state)) statusChanged(one.device.id, known);
    for (const bucket of buckets) {
      const values = configuration.get(bucket);
      if (values === undefined || one.blueprint === undefined) continue;
      one.given.set(bucket, JSON.stringify(values));
      const change = { bucket, values: bucketValues(one.blueprint, bucket, values), child: undefined, isNews: true };
      pool.configurationWritten(one.device.id, change);
    }
  }

  async function sendConfiguration(deviceId: string, configuration: DeviceConfiguration, written: readonly string[]) {
    const one = hosted.get(deviceId);
    if (one !== undefined) giveConfiguration(one, configuration, written);
  }

  function status(deviceId: string): HostedStatus | undefined {
    const one = hosted.get(deviceId);
    if (one === undefined || one.failure !== undefined) return one?.failure;
    const known = pool.status(deviceId);
    return known === undefined ? beforeFirst(one.since) : statusOf(known, obstacleOf(one, known));
  }

  return {
    memory: pool.memory,
    host: {
      hosts: (type) => type === "LUA",
      start,
      async stop(deviceId) {
        hosted.get(deviceId)?.callOff?.();
        pool.stop(deviceId);
        hosted.delete(deviceId);
        states.delete(deviceId);
        alerts.forget(deviceId);
      },
      async restart(deviceId) {
        const one = hosted.get(deviceId);
        if (one?.failure !== undefined) await start(one.device);
        else await pool.restart(deviceId);
      },
      status,
      overruns: () => pool.overruns(),
      states: () => [...hosted.keys()].flatMap((deviceId) => status(deviceId)?.state ?? []),
    },
    carrier,
    async stop() {
      stopped = true;
      clearInterval(signsOfLife);
      for (const { callOff } of hosted.values()) callOff?.();
      alerts.stop();
      output.stop();
      await pool.close();
    },
  };
}

/** Only a script that runs has one: any other says itself what is wrong. */
function obstacleOf({ missing }: Hosted, { state, since, peerProblem }: ScriptStatus): Obstacle | undefined {
  if (state !== "RUNNING") return undefined;
  if (missing.length > 0)
    return {
      state: "NOT_CONFIGURED",
      message: `required configuration is missing: ${missing.join(", ")}`,
      at: since,
    };
  return peerProblem && { state: "COMMUNICATION_FAILED", ...peerProblem };
}

function statusOf(
  { lastError, since, restartAt, overrun, ...rest }: ScriptStatus,
  obstacle: Obstacle | undefined,
): HostedStatus {
  const failure = obstacle === undefined ? lastError : { message: obstacle.message, at: obstacle.at };
  return {
    overrun: overrun && {
      // Scripts of devices have no triggers.
      activity: overrun.kind === "trigger" ? "job" : overrun.kind,
      command: overrun.command,
      file: overrun.file,
      line: overrun.line,
    },
    state: obstacle?.state ?? rest.state,
    startCount: rest.startCount,
    memoryBytes: rest.memoryBytes,
    since: instant(since),
    restartAt: restartAt === undefined ? undefined : instant(restartAt),
    lastError: failure && {
      message: failure.message,
      file: "file" in failure ? failure.file : undefined,
      line: "line" in failure ? failure.line : undefined,
      at: instant(failure.at),
    },
  };
}

/** Its program is still being built. */
function beforeFirst(since: number): HostedStatus {
  const nothing = { lastError: undefined, restartAt: undefined, memoryBytes: undefined, overrun: undefined };
  return { state: "STARTING", since: instant(since), startCount: 0, ...nothing };
}
