// Runs the Lua of devices, spread over a few threads. A thread is started when a device first needs it. When one dies,
// the device that it ran at that moment pauses for a while, and the other devices of the thread start again.
import { availableParallelism } from "node:os";
import type { Payload } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { SentRequest } from "#core/rule/shown-request.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import { createDriverThread, type DriverThreadNeeds } from "#drivers/driver-thread.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import { INTERRUPTED } from "#service/command/end-interrupted.ts";
import { afterFailure, type BackOff, NO_BACK_OFF } from "./back-off.ts";
import type { LuaEngine, ScriptLimits } from "./lua-engine.ts";
import { createLuaThread, type LuaThread, type ThreadNeeds } from "./lua-thread.ts";
import { createOpenCommands, type OpenCommands } from "./open-commands.ts";
import { openError } from "./open-error.ts";
import { overrunWords } from "./overrun-words.ts";
import type { AskingActivity, ConfigurationChange, EndedActivity, ScriptContext, ToPool } from "./pool-messages.ts";
import { createPoolThreads, type PoolThread } from "./pool-threads.ts";
import type { RunningActivity, ScriptChild, ScriptCommand, ScriptError } from "./script-host.ts";
import { createScriptMemory, usedBytes } from "./script-memory.ts";

/** Receives the output of scripts. Times are Unix milliseconds; keys and texts inside values are byte strings. */
export interface LuaPoolNeeds {
  now(): number;
  telemetry(deviceId: string, values: ReadonlyMap<string, LuaValue>, from: Source): void;
  properties(deviceId: string, values: ReadonlyMap<string, LuaValue>, from: Source): void;
  log(deviceId: string, line: LogLine): void;
  respond(deviceId: string, response: PoolResponse): void;
  /** Resolves when durable, with an error text if it is not; undefined as text removes the key. */
  store(deviceId: string, key: string, text: string | undefined): Promise<string | undefined>;
  /** Resolves with an error text if the device cannot speak for this child. */
  registerChild(deviceId: string, child: ScriptChild): Promise<string | undefined>;
  /** Answers a call of a rule's script. Absent where no rules run. */
  ask?(ruleId: string, asked: AskedOfPool): Promise<readonly LuaValue[]>;
  /** A rule's script sends a request, and then: what came of it. Absent where no rules run. */
  requests?(ruleId: string, by: AskingActivity, sent: SentRequest): void;
  requested?(ruleId: string, result: string): void;
  /** What had asked for something, or has failed. Absent where no rules run. */
  ended?(ruleId: string, by: EndedActivity): void;
  statusChanged(deviceId: string, status: ScriptStatus): void;
}

export interface AskedOfPool {
  readonly name: string;
  readonly args: readonly LuaValue[];
  readonly by: AskingActivity;
}

/** When it was said, and by which of the device's children, if it was one. */
interface Source {
  readonly at: number;
  readonly child?: string | undefined;
}

interface LogLine {
  readonly text: string;
  readonly severity: LogSeverity;
  readonly persist: boolean;
  readonly at: number;
  readonly child?: string | undefined;
}

interface PoolResponse {
  readonly commandId: string;
  readonly state: "IN_PROGRESS" | "SUCCEEDED" | "ERROR";
  readonly payload: Payload;
}

export interface LuaPoolSettings {
  /** Threads at most; by default half of the processors. */
  readonly threads?: number;
  readonly limits?: Partial<ScriptLimits>;
  readonly watchdogMs?: number;
  /** A thread that has not started after this time is ended. */
  readonly readyMs?: number;
  /** What all scripts may hold together. */
  readonly memoryBytes?: number;
  /** Without it scripts have no drivers. */
  readonly drivers?: DriverThreadNeeds;
}

export interface ScriptStatus {
  /**
   * OVERRUNNING: it runs, and one activity has lasted too long, since `since`. FAILED: an error of its own ended it.
   * QUARANTINED: a limit did. Both start again at `restartAt`.
   */
  readonly state: "STARTING" | "RUNNING" | "OVERRUNNING" | "QUARANTINED" | "FAILED" | "STOPPED";
  readonly since: number;
  /** The activity of an OVERRUNNING script. */
  readonly overrun: RunningActivity | undefined;
  readonly startCount: number;
  readonly lastError: (ScriptError & { readonly at: number }) | undefined;
  readonly restartAt: number | undefined;
  readonly memoryBytes: number | undefined;
  /** What keeps the device from talking to its peers, since when. */
  readonly peerProblem?: { readonly message: string; readonly at: number } | undefined;
}

/** Commands of an overrunning script wait like those of any busy one. */
export function runs(state: ScriptStatus["state"] | undefined): boolean {
  return state === "RUNNING" || state === "OVERRUNNING";
}

export interface LuaPool {
  /** Also replaces a running script by a new one. When the context rejects, its message is the device's last error. */
  start(deviceId: string, program: ScriptProgram, context: () => Promise<ScriptContext>): Promise<void>;
  stop(deviceId: string): void;
  /** At once, also out of quarantine. False for a device that was never started. */
  restart(deviceId: string): Promise<boolean>;
  /** False when the script does not run now. */
  command(deviceId: string, command: ScriptCommand): boolean;
  configurationWritten(deviceId: string, change: ConfigurationChange): void;
  /** Calls a function that the script of a rule has registered. False when the script does not run now. */
  trigger(ruleId: string, args: readonly LuaValue[]): boolean;
  connectionChanged(isConnected: boolean): void;
  status(deviceId: string): ScriptStatus | undefined;
  /** What all scripts hold together. */
  readonly memory: BufferUse;
  /** How many activities have lasted too long. */
  overruns(): number;
  close(): Promise<void>;
}

interface Hosted {
  readonly deviceId: string;
  readonly program: ScriptProgram;
  readonly context: () => Promise<ScriptContext>;
  /** 0 while it does not run. */
  slot: number;
  thread: PoolThread<Hosted> | undefined;
  status: ScriptStatus;
  backOff: BackOff;
  timer: NodeJS.Timeout | undefined;
  /** When it last started to run. */
  ranSince: number;
  /** The commands of its latest start. */
  commands: OpenCommands;
}

/** The message for a command that waited behind others: it may be sent again. */
const NOT_EXECUTED = "not executed: the device's script ended before the command began";
const WATCHDOG_MS = 1_000;
/** Long, because a busy machine may take seconds to begin a thread. */
const READY_MS = 30_000;
const MAX_DEFAULT_THREADS = 4;
const MEMORY_BYTES = 160 * 1024 * 1024;

export function createLuaPool(needs: LuaPoolNeeds, settings: LuaPoolSettings = {}): LuaPool {
  const most = settings.threads ?? Math.min(MAX_DEFAULT_THREADS, Math.max(1, Math.floor(availableParallelism() / 2)));
  const devices = new Map<string, Hosted>();
  const slots = new Map<number, Hosted>();
  const threads = createPoolThreads<Hosted>({ most, open: openThread, died: threadDied });
  const memory = createScriptMemory(settings.memoryBytes ?? MEMORY_BYTES);
  let loading: Promise<LuaEngine> | undefined;
  let engine: LuaEngine | undefined;
  let lastSlot = 0;
  let overruns = 0;
  let isClosed = false;

  /** Loaded with the first script, so that a start without one is shorter. */
  async function loadEngine(): Promise<LuaEngine> {
    try {
      return (await import("./lua-engine.ts")).createLuaEngine(settings.limits);
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }

  function openThread(died: ThreadNeeds["died"]): LuaThread {
    if (engine === undefined) throw new Error("a thread is opened before the engine is loaded");
    return createLuaThread({
      engine,
      memory,
      drivers: settings.drivers && createDriverThread(settings.drivers),
      watchdogMs: settings.watchdogMs ?? WATCHDOG_MS,
      readyMs: settings.readyMs ?? READY_MS,
      message: take,
      died,
    });
  }

  function threadDied(orphans: ReadonlySet<Hosted>, slot: number, why: string): void {
    const guilty = slots.get(slot);
    for (const hosted of orphans) {
      leave(hosted);
      if (hosted === guilty) setBack(hosted, "QUARANTINED", { message: why });
      else if (slot !== 0) void begin(hosted);
      // The culprit would end the next thread too, so all of them restart with a growing delay.
      else setBack(hosted, "FAILED", { message: why });
    }
  }

  /** The script no longer runs anywhere; what it was doing has ended. */
  function leave(hosted: Hosted): void {
    clearTimeout(hosted.timer);
    slots.delete(hosted.slot);
    hosted.thread?.devices.delete(hosted);
    hosted.thread = undefined;
    hosted.slot = 0;
    const { begun, waiting } = hosted.commands.close();
    for (const commandId of begun) fail(hosted, commandId, INTERRUPTED);
    for (const commandId of waiting) fail(hosted, commandId, NOT_EXECUTED);
  }

  function fail(hosted: Hosted, commandId: string, message: string): void {
    needs.respond(hosted.deviceId, { commandId, state: "ERROR", payload: { message } });
  }

  function setBack(hosted: Hosted, state: "QUARANTINED" | "FAILED", error: ScriptError | undefined): void {
    const now = needs.now();
    const after = afterFailure(hosted.backOff, now - hosted.ranSince);
    hosted.backOff = { strikes: after.strikes };
    hosted.timer = setTimeout(() => void begin(hosted), after.delayMs);
    const lastError = error ? { ...error, at: now } : hosted.status.lastError;
    change(hosted, { state, lastError, restartAt: now + after.delayMs, memoryBytes: undefined });
  }

  function change(hosted: Hosted, changed: Partial<ScriptStatus>): void {
    hosted.status = { ...hosted.status, since: needs.now(), restartAt: undefined, overrun: undefined, ...changed };
    needs.statusChanged(hosted.deviceId, hosted.status);
  }

  async function begin(hosted: Hosted): Promise<void> {
    clearTimeout(hosted.timer);
    hosted.ranSince = needs.now();
    change(hosted, { state: "STARTING", startCount: hosted.status.startCount + 1, peerProblem: undefined });
    const slot = ++lastSlot;
    hosted.slot = slot;
    hosted.commands = createOpenCommands();
    // Stopped, replaced or started again meanwhile.
    const isPast = (): boolean => isClosed || hosted.slot !== slot;
    try {
      loading ??= loadEngine();
      engine ??= await loading;
      const context = await hosted.context();
      if (isPast()) return;
      const on = threads.next();
      slots.set(slot, hosted);
      hosted.thread = on;
      on.devices.add(hosted);
      const { gate } = hosted.commands;
      const failure = on.thread.post({ kind: "start", slot, program: hosted.program, context, gate });
      if (failure !== undefined) throw failure;
    } catch (error) {
      if (isPast()) return;
      // The context cannot be read, or the machine has no thread or memory for it.
      leave(hosted);
      setBack(hosted, "FAILED", { message: error instanceof Error ? error.message : String(error) });
    }
  }

  function end(hosted: Hosted): void {
    hosted.thread?.thread.post({ kind: "stop", slot: hosted.slot });
    leave(hosted);
  }

  function take(message: ToPool): void {
    if (message.kind === "ready") return;
    if (message.kind === "memory") {
      for (const [slot, memoryBytes] of message.bytes) {
        const hosted = slots.get(slot);
        if (hosted) hosted.status = { ...hosted.status, memoryBytes };
      }
      return;
    }
    const hosted = slots.get(message.slot);
    if (hosted) takeFrom(hosted, message);
  }

  function takeFrom(hosted: Hosted, message: Exclude<ToPool, { kind: "ready" | "memory" }>): void {
    const { deviceId } = hosted;
    switch (message.kind) {
      case "started":
        hosted.ranSince = needs.now();
        change(hosted, { state: "RUNNING" });
        break;
      case "overrun":
        overruns += 1;
        change(hosted, { state: "OVERRUNNING", since: message.since, overrun: message.activity });
        needs.log(deviceId, {
          text: overrunWords(message.activity, settings.limits?.overrunMs),
          severity: "warning",
          persist: true,
          at: needs.now(),
        });
        break;
      case "peers": {
        const { problem, at } = message;
        hosted.status = { ...hosted.status, peerProblem: problem === undefined ? undefined : { message: problem, at } };
        needs.statusChanged(deviceId, hosted.status);
        const text = problem ?? "the device can be reached again";
        needs.log(deviceId, { text, severity: problem === undefined ? "info" : "error", persist: true, at });
        break;
      }
      case "caught up":
        change(hosted, { state: "RUNNING" });
        break;
      case "telemetry":
      case "properties":
        needs[message.kind](deviceId, message.values, message);
        break;
      case "log":
        needs.log(deviceId, message);
        break;
      case "response":
        // The outcome of a command counts once, and not after the script was removed.
        if (message.state === "IN_PROGRESS" || hosted.commands.end(message.commandId)) needs.respond(deviceId, message);
        break;
      case "store":
        void store(hosted, message);
        break;
      case "child":
        void settle(hosted, message, needs.registerChild(deviceId, message.child));
        break;
      case "ask":
      case "request":
      case "requested":
      case "ended":
        takeFromRule(hosted, message);
        break;
      case "fault":
        takeFault(hosted, message);
        break;
      case "dead":
        leave(hosted);
        setBack(hosted, message.byLimit ? "QUARANTINED" : "FAILED", undefined);
        break;
    }
  }

  function takeFromRule(hosted: Hosted, message: Extract<ToPool, { kind: "ask" | "request" | "requested" | "ended" }>) {
    const { deviceId } = hosted;
    if (message.kind === "ask") void answer(hosted, message);
    else if (message.kind === "request") needs.requests?.(deviceId, message.by, message.sent);
    else if (message.kind === "requested") needs.requested?.(deviceId, message.result);
    else needs.ended?.(deviceId, message.by);
  }

  function takeFault(hosted: Hosted, { error: raw, at }: Extract<ToPool, { kind: "fault" }>): void {
    const { deviceId } = hosted;
    // A message that a job repeats every second is stored persistently only once.
    const error = openError(raw);
    const persist = hosted.status.lastError?.message !== error.message;
    hosted.status = { ...hosted.status, lastError: { ...error, at } };
    needs.statusChanged(deviceId, hosted.status);
    needs.log(deviceId, { text: error.message, severity: "error", persist, at });
  }

  async function store(hosted: Hosted, message: Extract<ToPool, { kind: "store" }>): Promise<void> {
    await settle(hosted, message, needs.store(hosted.deviceId, message.key, message.text));
  }

  async function answer(hosted: Hosted, { slot, id, ...asked }: Extract<ToPool, { kind: "ask" }>): Promise<void> {
    const refused = (error: unknown): readonly LuaValue[] => [undefined, String(error)];
    const values = (await needs.ask?.(hosted.deviceId, asked).catch(refused)) ?? [undefined, "there are no rules"];
    const failure = hosted.thread?.thread.post({ kind: "answer", slot, id, values });
    if (failure !== undefined) hosted.thread?.thread.post({ kind: "answer", slot, id, values: refused(failure) });
  }

  async function settle(
    hosted: Hosted,
    { slot, id }: { readonly slot: number; readonly id: number },
    done: Promise<string | undefined>,
  ): Promise<void> {
    const error = await done.catch((failure: unknown) => String(failure));
    hosted.thread?.thread.post({ kind: "stored", slot, id, error });
  }

  return {
    async start(deviceId, program, context) {
      const before = devices.get(deviceId);
      if (before) end(before);
      const status: ScriptStatus = {
        state: "STARTING",
        since: needs.now(),
        startCount: before?.status.startCount ?? 0,
        lastError: undefined,
        restartAt: undefined,
        memoryBytes: undefined,
        overrun: undefined,
      };
      const rest = { ranSince: needs.now(), slot: 0, thread: undefined, backOff: NO_BACK_OFF, timer: undefined };
      const hosted: Hosted = { deviceId, program, context, status, commands: createOpenCommands(), ...rest };
      devices.set(deviceId, hosted);
      await begin(hosted);
    },
    stop(deviceId) {
      const hosted = devices.get(deviceId);
      if (!hosted) return;
      devices.delete(deviceId);
      end(hosted);
      change(hosted, { state: "STOPPED" });
    },
    async restart(deviceId) {
      const hosted = devices.get(deviceId);
      if (!hosted) return false;
      end(hosted);
      hosted.backOff = NO_BACK_OFF;
      await begin(hosted);
      return true;
    },
    command(deviceId, command) {
      const hosted = devices.get(deviceId);
      if (!hosted?.thread) return false;
      const ticket = hosted.commands.add(command.id);
      const failure = hosted.thread.thread.post({ kind: "command", slot: hosted.slot, command, ticket });
      if (failure !== undefined && hosted.commands.end(command.id)) fail(hosted, command.id, failure.message);
      return true;
    },
    configurationWritten(deviceId, change) {
      const hosted = devices.get(deviceId);
      const failure = hosted?.thread?.thread.post({ kind: "configuration", slot: hosted.slot, change });
      if (failure === undefined) return;
      const text = `the script did not get its new configuration ${change.bucket}: ${failure.message}`;
      needs.log(deviceId, { text, severity: "error", persist: true, at: needs.now() });
    },
    trigger(ruleId, args) {
      const hosted = devices.get(ruleId);
      if (!hosted?.thread) return false;
      return hosted.thread.thread.post({ kind: "trigger", slot: hosted.slot, args }) === undefined;
    },
    connectionChanged(isConnected) {
      for (const [slot, hosted] of slots) hosted.thread?.thread.post({ kind: "connection", slot, isConnected });
    },
    status: (deviceId) => devices.get(deviceId)?.status,
    overruns: () => overruns,
    memory: { name: "lua_scripts", limit: memory.limitBytes, used: () => usedBytes(memory) },
    async close() {
      isClosed = true;
      for (const hosted of devices.values()) {
        clearTimeout(hosted.timer);
        // The next start of the service reports the commands that had begun as interrupted.
        for (const commandId of hosted.commands.close().waiting) fail(hosted, commandId, NOT_EXECUTED);
      }
      await threads.close();
    },
  };
}
