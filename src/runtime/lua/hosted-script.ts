// The host of a script inside a thread of the pool: all output becomes messages, in bounded numbers.

import type { Payload } from "#core/command/execution.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { sizeOf } from "#drivers/lua-value.ts";
import type { PeerWatch } from "#drivers/watch-peers.ts";
import { passGate } from "./command-gate.ts";
import { createDeviceScript } from "./device-script.ts";
import { createHostedStorage } from "./hosted-storage.ts";
import type { LuaEngine } from "./lua-engine.ts";
import type { BucketValues, ConfigurationChange, ToPool, ToWorker } from "./pool-messages.ts";
import { wallTime } from "./rule/rule-asks.ts";
import type { DeviceScript, ScriptCommand, ScriptHost } from "./script-host.ts";
import { createTokenBucket } from "./token-bucket.ts";

const TELEMETRY = { perSecond: 50, burst: 200 };
const LOGS = { perSecond: 20, burst: 100 };
/** As for a device that speaks MQTT. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** A larger message counts as several, so that no script keeps the main thread busy with reading. */
const USUAL_MESSAGE_BYTES = 4_096;
/** A job that fails every time repeats the same message every time. */
const FAULTS = { perSecond: 5, burst: 20 };
const PROGRESS = { perSecond: 20, burst: 100 };

/** The outcome counts, even if its details cannot be sent. */
function withinBounds(payload: Payload): Payload {
  if (JSON.stringify(payload).length <= MAX_MESSAGE_BYTES) return payload;
  return { message: `left out: a payload has at most ${MAX_MESSAGE_BYTES} bytes` };
}

export interface HostedNeeds {
  readonly engine: LuaEngine;
  readonly slot: number;
  post(message: ToPool): void;
  wake(): void;
  readonly drivers: Drivers;
  /** Of the calls of the drivers. */
  readonly watch?: Pick<PeerWatch, "forget">;
  /** Of rules: whether the activity that began then has asked for something. Its end is reported. */
  readonly hasAsked?: ((beganAt: number) => boolean) | undefined;
}

export interface HostedScript {
  readonly script: DeviceScript;
  /** Once it is dead: whether a limit ended it. */
  endedByLimit(): boolean;
  /** Says when an activity lasts too long, and when it has ended. Called now and then. */
  reportOverrun(): void;
  configurationWritten(change: ConfigurationChange): void;
  connectionChanged(isConnected: boolean): void;
  command(command: ScriptCommand, ticket: number): void;
  stored(id: number, error: string | undefined): void;
}

type Start = Pick<Extract<ToWorker, { kind: "start" }>, "program" | "context" | "gate">;

export function createHostedScript(needs: HostedNeeds, { program, context, gate }: Start): HostedScript {
  const { slot, post } = needs;
  const buckets = new Map(context.configuration);
  const storage = createHostedStorage({ slot, post, wake: () => needs.wake() }, context.storage);
  const ofChildren = new Map<string, Map<string, BucketValues>>();
  const bucketsOf = (child: string | undefined) => (child === undefined ? buckets : ofChildren.get(child));
  const telemetry = createTokenBucket(TELEMETRY.perSecond, TELEMETRY.burst);
  const logs = createTokenBucket(LOGS.perSecond, LOGS.burst);
  const faults = createTokenBucket(FAULTS.perSecond, FAULTS.burst);
  const progress = createTokenBucket(PROGRESS.perSecond, PROGRESS.burst);
  let { isConnected } = context;
  let leftOut = 0;
  let overstepped = false;
  /** When the activity began that was reported for its length. */
  let overrunSince: number | undefined;

  function send(
    kind: "telemetry" | "properties",
    ...[values, child]: Parameters<ScriptHost["telemetry"]>
  ): string | undefined {
    const bytes = sizeOf(values);
    if (bytes > MAX_MESSAGE_BYTES) return `a message has at most ${MAX_MESSAGE_BYTES} bytes`;
    if (!telemetry.take(performance.now(), Math.ceil(bytes / USUAL_MESSAGE_BYTES)))
      return `more than ${TELEMETRY.perSecond} messages a second`;
    post({ kind, slot, values, child, at: Date.now() });
    return undefined;
  }

  const host: ScriptHost = {
    now: Date.now,
    elapsed: () => performance.now(),
    drivers: needs.drivers,
    telemetry: (values, child) => send("telemetry", values, child),
    properties: (values, child) => send("properties", values, child),
    registerChild: storage.registerChild,
    log(text, severity, persist, child) {
      if (!logs.take(performance.now())) {
        leftOut += 1;
        return;
      }
      const at = Date.now();
      if (leftOut > 0) {
        const line = `${leftOut} lines of the log were left out: more than ${LOGS.perSecond} a second`;
        post({ kind: "log", slot, text: line, severity: "warning", persist: false, at });
        leftOut = 0;
      }
      post({ kind: "log", slot, text, severity, persist, child, at });
    },
    respond(commandId, state, payload) {
      // Progress may be dropped, the outcome never.
      if (state === "IN_PROGRESS" && !progress.take(performance.now())) return;
      post({ kind: "response", slot, commandId, state, payload: withinBounds(payload) });
    },
    fault(error) {
      overstepped = error.byLimit ?? false;
      if (overstepped || faults.take(performance.now())) post({ kind: "fault", slot, error, at: Date.now() });
    },
    ended({ kind, beganAt }, error) {
      if (needs.hasAsked === undefined || (error === undefined && !needs.hasAsked(beganAt))) return;
      // A function of a trigger that has ended is not called again, whatever it says.
      if (error !== undefined && kind !== "trigger" && !faults.take(performance.now())) return;
      const by = { id: beganAt, kind, beganAt: wallTime(beganAt), endedAt: Date.now(), error };
      post({ kind: "ended", slot, by });
    },
    isConnected: () => isConnected,
    wake: () => needs.wake(),
    configuration: {
      read: (bucket, child) => bucketsOf(child)?.get(bucket)?.values,
      isAllRequiredSet: (bucket, child) => bucketsOf(child)?.get(bucket)?.isAllRequiredSet ?? false,
    },
    storage,
    randomSeed: context.randomSeed,
    ...(context.rule && { rule: { id: context.deviceId, ...context.rule } }),
  };
  const script = createDeviceScript(needs.engine, program, host);
  function reportOverrun(): void {
    const activity = script.activity();
    const lastedMs = activity === undefined ? 0 : performance.now() - activity.beganAt;
    const since = lastedMs >= needs.engine.limits.overrunMs ? activity?.beganAt : undefined;
    if (since === overrunSince) return;
    overrunSince = since;
    if (activity === undefined || since === undefined) post({ kind: "caught up", slot });
    else post({ kind: "overrun", slot, activity, since: Date.now() - lastedMs });
  }

  return {
    script,
    reportOverrun,
    endedByLimit: () => overstepped,
    configurationWritten({ bucket, values, child, isNews }) {
      const known = bucketsOf(child) ?? new Map<string, BucketValues>();
      known.set(bucket, values);
      if (child !== undefined) ofChildren.set(child, known);
      if (!isNews) return;
      needs.watch?.forget();
      script.configurationWritten(bucket, child);
    },
    connectionChanged(isUp) {
      if (isUp === isConnected) return;
      isConnected = isUp;
      script.connectionChanged(isUp);
    },
    command: (command, ticket) => script.command(command, () => passGate(gate, ticket)),
    stored: storage.stored,
  };
}
