// What a device does, one activity at a time: the entry chunk, then commands, callbacks and jobs as they fall due.
import type { Payload } from "#core/command/execution.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import { bytesOf, type LuaValue, luaValueOf, textOf } from "#drivers/lua-value.ts";
import { createJobList } from "./job-list.ts";
import type { LuaEngine } from "./lua-engine.ts";
import { createLuaState, type FunctionRef, type LuaState, type Resumed, type ThreadRef } from "./lua-state.ts";
import { NO_MEMORY, StateGone } from "./lua-wasm.ts";
import { payloadOf } from "./payload-of.ts";
import { parseScriptError } from "./script-error.ts";
import { createScriptFunctions, LENIENT } from "./script-functions.ts";
import type { DeviceScript, RunningActivity, ScriptCommand, ScriptHost } from "./script-host.ts";

const MAX_WAITING_COMMANDS = 100;
const MAX_HANDLED = 10_000;
const MAX_DELAY_MS = 5_000;

interface Task {
  readonly kind: RunningActivity["kind"];
  readonly args: readonly LuaValue[];
  readonly commandId?: string;
}

interface Activity {
  readonly task: Task;
  readonly thread: ThreadRef;
  /** How to resume it; undefined while it waits for the host. */
  answer: readonly LuaValue[] | undefined;
  /** Elapsed time until which the script asked to sleep. */
  wakeAt: number | undefined;
  /** Measured since its last pause, by the clock and by its work: a busy gateway is not its fault. */
  computedMs: number;
  workedMs: number;
  /** What ctx.error was called with. */
  failure: Payload | undefined;
  /** Elapsed time. */
  readonly beganAt: number;
  /** How often the script had been refused memory when it began. */
  readonly refusals: number;
}

export type Activities = DeviceScript & {
  /** The state has gone while the activity ran. */
  interrupted(why: string): void;
};

export function createActivities(engine: LuaEngine, program: ScriptProgram, host: ScriptHost): Activities {
  const jobs = createJobList();
  const commands: { readonly command: ScriptCommand; readonly mayBegin: () => boolean }[] = [];
  const handled = new Set<string>();
  const callbacks: Task[] = [{ kind: "main", args: [] }];
  let current: Activity | undefined;
  let spare: ThreadRef | undefined;
  let machine: { readonly state: LuaState; readonly play: FunctionRef } | undefined;

  function next(): Task | undefined {
    // Nothing runs before the entry chunk, which registers the handlers.
    if (callbacks[0]?.kind === "main") return callbacks.shift();
    const command = takeCommand();
    if (command) {
      const child = command.child === undefined ? undefined : bytesOf(command.child);
      const args = [bytesOf(command.name), luaValueOf(command.arguments), child];
      return { kind: "command", args, commandId: command.id };
    }
    const id = callbacks.length > 0 ? undefined : jobs.takeDue(host.elapsed());
    return id === undefined ? callbacks.shift() : { kind: "job", args: [id] };
  }

  function takeCommand(): ScriptCommand | undefined {
    for (;;) {
      const { command, mayBegin } = commands.shift() ?? {};
      if (command === undefined) return undefined;
      if (command.expiresAt !== undefined && host.now() >= command.expiresAt)
        host.respond(command.id, "ERROR", { message: "the device was busy for too long; the command was not started" });
      else if (mayBegin?.()) return command;
    }
  }

  function begin({ state, play }: { readonly state: LuaState; readonly play: FunctionRef }, task: Task): Resumed {
    const thread = spare ?? state.newThread();
    spare = undefined;
    current = {
      ...{ task, thread, answer: undefined, wakeAt: undefined, computedMs: 0, workedMs: 0, failure: undefined },
      beganAt: host.elapsed(),
      refusals: state.refusals(),
    };
    return state.start(thread, play, [task.kind, ...task.args]);
  }

  function step(running: Machine, activity: Activity | undefined): Resumed | undefined {
    if (activity === undefined) {
      const task = next();
      return task && begin(running, task);
    }
    if (activity.wakeAt !== undefined && activity.wakeAt <= host.elapsed()) activity.answer = [];
    const { answer } = activity;
    if (answer === undefined) return undefined;
    activity.answer = undefined;
    activity.wakeAt = undefined;
    return running.state.resume(activity.thread, answer);
  }

  /** "dead" when the script cannot go on. */
  function take(running: Machine, activity: Activity, resumed: Resumed): "dead" | undefined {
    activity.computedMs += running.state.slice.used();
    activity.workedMs += running.state.slice.worked();
    switch (resumed.state) {
      case "sliced":
        activity.answer = [];
        if (Math.min(activity.computedMs, activity.workedMs) > engine.limits.activityMs)
          return overrun(running, activity);
        return undefined;
      case "call":
        activity.computedMs = 0;
        activity.workedMs = 0;
        callHost(activity, resumed.name, resumed.args);
        return undefined;
      case "done":
        current = undefined;
        spare = activity.thread;
        conclude(activity, resumed.results[0]);
        host.ended?.({ kind: activity.task.kind, beganAt: activity.beganAt }, undefined);
        return undefined;
      case "failed":
        current = undefined;
        running.state.dropThread(activity.thread);
        return failed(activity, resumed);
    }
  }

  function failed(activity: Activity, error: Parameters<typeof parseScriptError>[0]): "dead" | undefined {
    const { task } = activity;
    if (activity.failure === undefined) {
      const fault = parseScriptError(error, program.nodebug);
      host.ended?.({ kind: task.kind, beganAt: activity.beganAt }, fault);
      if (task.commandId === undefined) host.fault(fault);
      else {
        host.respond(task.commandId, "ERROR", { message: fault.message });
        host.fault({ ...fault, command: textOf(String(task.args[0])) });
      }
    } else if (task.commandId !== undefined) host.respond(task.commandId, "ERROR", activity.failure);
    return task.kind === "main" ? "dead" : undefined;
  }

  function conclude({ task, failure }: Activity, result: LuaValue): void {
    if (task.commandId === undefined) return;
    if (failure === undefined) host.respond(task.commandId, "SUCCEEDED", payloadOf(result));
    else host.respond(task.commandId, "ERROR", failure);
  }

  function overrun({ state }: Machine, activity: Activity): "dead" {
    const time = `computed for more than ${engine.limits.activityMs} ms without a pause`;
    const message = state.refusals() > activity.refusals ? `${time}; ${state.explained(NO_MEMORY)}` : time;
    failed(activity, { message, traceback: state.traceback(activity.thread), byLimit: true });
    current = undefined;
    return "dead";
  }

  function callHost(activity: Activity, name: string, args: readonly LuaValue[]): void {
    if (name === "delay") {
      const ms = Math.min(MAX_DELAY_MS, Math.max(0, Number(args[0]) || 0));
      activity.wakeAt = host.elapsed() + ms;
      return;
    }
    const settle = (answer: readonly LuaValue[]): void => {
      activity.answer = answer;
      host.wake();
    };
    const refused = (error: unknown): void => settle([undefined, bytesOf(`the host failed: ${String(error)}`)]);
    answerOf(name, args).then(settle, refused);
  }

  async function answerOf(name: string, args: readonly LuaValue[]): Promise<readonly LuaValue[]> {
    if (name === "storage.write") return [storageError(await host.storage.write(String(args[0]), String(args[1])))];
    if (name === "storage.remove") return [storageError(await host.storage.remove(String(args[0])))];
    if (name === "child.register") return [storageError(await registerChild(args))];
    return host.drivers.call(name, args);
  }

  async function registerChild([channel, about]: readonly LuaValue[]): Promise<string | undefined> {
    const fields = about instanceof Map ? about : new Map<string, LuaValue>();
    const field = (name: string) => (fields.has(name) ? textOf(String(fields.get(name))) : undefined);
    return host.registerChild === undefined
      ? "this host has no child devices"
      : await host.registerChild({
          channelId: textOf(String(channel)),
          name: field("name"),
          childType: field("child_type"),
          blueprintId: field("blueprint_id"),
        });
  }

  function start(): Machine {
    const startedAt = host.elapsed();
    let setYieldable = (_isYieldable: boolean): void => {};
    const functions = createScriptFunctions({
      host,
      program,
      jobs,
      startedAt,
      setYieldable: (isYieldable) => setYieldable(isYieldable),
      commandHandled(name) {
        // Names are for reports, so their number is bounded, whatever a script registers.
        if (handled.size < MAX_HANDLED) handled.add(name);
      },
      commandFailed(payload) {
        if (current) current.failure ??= payload;
      },
      commandLog(message, severity) {
        const payload: Payload = severity === undefined ? { message } : { message, severity };
        if (current?.task.commandId !== undefined) host.respond(current.task.commandId, "IN_PROGRESS", payload);
      },
    });
    const { state } = createLuaState({
      module: engine.module,
      image: engine.image,
      memoryBytes: engine.limits.memoryBytes,
      account: engine.account,
      elapsed: engine.limits.isVirtualTime ? undefined : () => host.elapsed(),
      instant(name, args) {
        const fn = functions.get(name);
        if (!fn) throw new StateGone(`the prelude asked for ${name}`);
        return fn(...args);
      },
      isLenient: (name) => LENIENT.has(name),
    });
    setYieldable = (isYieldable) => state.setYieldable(isYieldable);
    return { state, play: engine.play };
  }

  return {
    nextDue() {
      if (current) return current.answer === undefined ? current.wakeAt : host.elapsed();
      return commands.length > 0 || callbacks.length > 0 ? host.elapsed() : jobs.nextDue();
    },
    run(budgetMs) {
      machine ??= start();
      const { slice } = machine.state;
      let left = budgetMs;
      for (;;) {
        slice.begin(left);
        const resumed = step(machine, current);
        if (resumed === undefined || current === undefined) return current === undefined ? "idle" : "waiting";
        if (take(machine, current, resumed) === "dead") return "dead";
        left -= Math.max(slice.used(), LEAST_STEP_MS);
        if (left <= 0) return "more";
      }
    },
    command(command, mayBegin = () => true) {
      if (commands.length < MAX_WAITING_COMMANDS) commands.push({ command, mayBegin });
      else host.respond(command.id, "ERROR", { message: "too many commands wait for this device" });
    },
    configurationWritten(bucket, child) {
      const [name, channel] = [bytesOf(bucket), child === undefined ? undefined : bytesOf(child)];
      const isSame = ({ kind, args }: Task) => kind === "configuration" && args[0] === name && args[1] === channel;
      if (callbacks.some(isSame)) return;
      callbacks.push({ kind: "configuration", args: [name, channel] });
    },
    connectionChanged(isConnected) {
      const waiting = callbacks.findIndex(({ kind }) => kind === "connection");
      if (waiting >= 0) callbacks.splice(waiting, 1);
      callbacks.push({ kind: "connection", args: [isConnected] });
    },
    triggered(args) {
      if (callbacks.length >= MAX_WAITING_COMMANDS) return false;
      callbacks.push({ kind: "trigger", args });
      return true;
    },
    activity() {
      if (current === undefined || machine === undefined) return undefined;
      const { task, thread, beganAt } = current;
      const [, file, line] = program.nodebug ? [] : (/^(.*):(\d+): $/.exec(machine.state.place(thread)) ?? []);
      return {
        kind: task.kind,
        beganAt,
        ...(task.kind === "command" && { command: textOf(String(task.args[0])) }),
        ...(file !== undefined && { file: textOf(file), line: Number(line) }),
      };
    },
    handledCommands: () => [...handled],
    memoryBytes: () => machine?.state.memoryBytes() ?? 0,
    close: () => machine?.state.close(),
    interrupted(why) {
      const activity = current;
      current = undefined;
      const place = activity && machine ? machine.state.place(activity.thread) : "";
      const words = machine?.state.explained(why) ?? why;
      if (activity) failed(activity, { message: `${place}${words}`, byLimit: true });
      else host.fault({ message: words, byLimit: true });
    },
  };
}

type Machine = { readonly state: LuaState; readonly play: FunctionRef };

/** Even an activity that does nothing costs part of a slice, so that a flood of them cannot block a thread. */
const LEAST_STEP_MS = 0.02;

function storageError(problem: string | undefined): LuaValue {
  return problem === undefined ? undefined : bytesOf(problem);
}
