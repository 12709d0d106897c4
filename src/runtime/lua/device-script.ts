// One device's script and what it needs around it. The same script runs in a worker of the pool by the real clock and
// in the test harness by a virtual one, so nothing here asks for the time or for chance but through the host.
import type { Payload } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import { createActivities } from "./activities.ts";
import type { Drivers } from "./drivers.ts";
import type { LuaEngine } from "./lua-engine.ts";
import type { LuaValue } from "./lua-value.ts";
import { StateGone } from "./lua-wasm.ts";

/** An error that the script did not catch. */
export interface ScriptError {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly traceback?: string;
  /** A limit was overstepped, and the state given up. */
  readonly byLimit?: true;
  /** Whose handler it ended; its execution has the error, too. */
  readonly command?: string;
}

export interface ScriptCommand {
  readonly id: string;
  /** As the manifest declares it. */
  readonly name: string;
  readonly arguments: Payload;
  /** From this time on (Unix milliseconds) nobody waits for it any more, and it is not started; undefined: never. */
  readonly expiresAt?: number;
}

/** Values cross as raw Lua values; whether they fit the blueprint is judged further in. */
export interface ScriptHost {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Milliseconds that only ever grow, from any origin. */
  elapsed(): number;
  readonly drivers: Drivers;
  /** An answer is an error text for the script. */
  telemetry(values: ReadonlyMap<string, LuaValue>): string | undefined;
  /** An answer is an error text for the script. */
  properties(values: ReadonlyMap<string, LuaValue>): string | undefined;
  log(text: string, severity: LogSeverity, persist: boolean): void;
  respond(commandId: string, state: "IN_PROGRESS" | "SUCCEEDED" | "ERROR", payload: Payload): void;
  /** Of an uncaught error in the entry chunk, main, a job, a handler or a callback. */
  fault(error: ScriptError): void;
  isConnected(): boolean;
  /** Wakes up whoever calls `run`: a driver or the storage has answered. */
  wake(): void;
  readonly configuration: {
    /** Current values with defaults applied; undefined when there is no such bucket. */
    read(bucket: string): ReadonlyMap<string, LuaValue> | undefined;
    isAllRequiredSet(bucket: string): boolean;
  };
  /** Keys and texts are byte strings. Writes resolve when they are durable, with an error text if they are not. */
  readonly storage: {
    read(key: string): string | undefined;
    write(key: string, text: string): Promise<string | undefined>;
    remove(key: string): Promise<string | undefined>;
  };
  readonly randomSeed: number;
}

/** Plays one activity at a time: commands go ahead of ticks, and a tick that waits is not queued twice. */
export interface DeviceScript {
  /** Elapsed time at which it next wants to run; undefined: only when something arrives. */
  nextDue(): number | undefined;
  /**
   * Runs what is due for at most so long. "more": the slice is used up. "waiting": it sleeps in a host call, `wake`
   * tells when it goes on. "idle": nothing to do before `nextDue`. "dead": the state was given up, and `fault` was told.
   */
  run(budgetMs: number): "more" | "waiting" | "idle" | "dead";
  /** `mayBegin` is asked right before its handler is called; after a no the command is gone, and whoever said no tells its end. */
  command(command: ScriptCommand, mayBegin?: () => boolean): void;
  configurationWritten(bucket: string): void;
  connectionChanged(isConnected: boolean): void;
  /** The commands that the script has registered a handler for. */
  handledCommands(): readonly string[];
  memoryBytes(): number;
  close(): void;
}

export function createDeviceScript(engine: LuaEngine, program: ScriptProgram, host: ScriptHost): DeviceScript {
  const activities = createActivities(engine, program, host);
  let isDead = false;
  return {
    nextDue: () => (isDead ? undefined : activities.nextDue()),
    run(budgetMs) {
      if (isDead) return "dead";
      try {
        const outcome = activities.run(budgetMs);
        if (outcome === "dead") isDead = true;
        return outcome;
      } catch (error) {
        // Whatever came through C frames has left the state in pieces: it is never entered again.
        isDead = true;
        activities.interrupted(error instanceof StateGone ? error.message : `the interpreter failed: ${String(error)}`);
        return "dead";
      }
    },
    command: (command, mayBegin) => activities.command(command, mayBegin),
    configurationWritten: (bucket) => activities.configurationWritten(bucket),
    connectionChanged: (isConnected) => activities.connectionChanged(isConnected),
    handledCommands: () => activities.handledCommands(),
    memoryBytes: () => activities.memoryBytes(),
    close() {
      isDead = true;
      activities.close();
      host.drivers.close();
    },
  };
}
