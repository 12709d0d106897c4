// The interface of a device's script for the code that runs it, and what a script needs from that code.
import type { Payload } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { Drivers } from "#drivers/drivers.ts";
import type { LuaValue } from "#drivers/lua-value.ts";

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
  /** The channel of the child that it is for; undefined: it is for the device itself. */
  readonly child?: string;
  /** After this time (Unix milliseconds) nobody waits for it any more, and it is not started; undefined: never. */
  readonly expiresAt?: number;
}

/** A child as its parent's script announces it. */
export interface ScriptChild {
  readonly channelId: string;
  readonly name: string | undefined;
  readonly childType: string | undefined;
  readonly blueprintId: string | undefined;
}

/** Values are raw Lua values here; whether they fit the blueprint is checked later. */
export interface ScriptHost {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Milliseconds that only ever grow, from any origin. */
  elapsed(): number;
  readonly drivers: Drivers;
  /** An answer is an error text for the script. */
  telemetry(values: ReadonlyMap<string, LuaValue>, child?: string): string | undefined;
  /** An answer is an error text for the script. */
  properties(values: ReadonlyMap<string, LuaValue>, child?: string): string | undefined;
  log(text: string, severity: LogSeverity, persist: boolean, child?: string): void;
  /** Resolves with an error text if the device cannot speak for this child. Absent where there are no children. */
  registerChild?(child: ScriptChild): Promise<string | undefined>;
  respond(commandId: string, state: "IN_PROGRESS" | "SUCCEEDED" | "ERROR", payload: Payload): void;
  /** An activity has ended, by this error or by itself. Absent where nobody asks. */
  ended?(activity: Pick<RunningActivity, "kind" | "beganAt">, error: ScriptError | undefined): void;
  /** Called for an uncaught error in the entry chunk, main, a job, a handler or a callback. */
  fault(error: ScriptError): void;
  isConnected(): boolean;
  /** Wakes the code that calls `run`: a driver or the storage has answered. */
  wake(): void;
  readonly configuration: {
    /** Current values with defaults applied; undefined when there is no such bucket. */
    read(bucket: string, child?: string): ReadonlyMap<string, LuaValue> | undefined;
    isAllRequiredSet(bucket: string, child?: string): boolean;
  };
  /** Keys and texts are byte strings. Writes resolve when they are durable, with an error text if they are not. */
  readonly storage: {
    read(key: string): string | undefined;
    write(key: string, text: string): Promise<string | undefined>;
    remove(key: string): Promise<string | undefined>;
  };
  readonly randomSeed: number;
  /** Of the script of a rule. */
  readonly rule?: RuleOfScript & { readonly id: string };
}

export interface RuleOfScript {
  readonly timezone: string;
  /** Undefined: the script runs once. */
  readonly intervalMs: number | undefined;
}

export interface RunningActivity {
  readonly kind: "main" | "command" | "configuration" | "connection" | "job" | "trigger";
  /** Elapsed time. No two activities of a script begin at the same moment and last. */
  readonly beganAt: number;
  readonly command?: string;
  /** Where it is now, if known. */
  readonly file?: string;
  readonly line?: number;
}

/** Plays one activity at a time: commands go ahead of ticks, and a tick that waits is not queued twice. */
export interface DeviceScript {
  /** Elapsed time at which it next wants to run; undefined: only when something arrives. */
  nextDue(): number | undefined;
  /**
   * Runs what is due for at most so long. "more": the slice is used up. "waiting": it sleeps in a host call, `wake`
   * says when it goes on. "idle": nothing to do before `nextDue`. "dead": the state was given up, and `fault` was called.
   */
  run(budgetMs: number): "more" | "waiting" | "idle" | "dead";
  /**
   * `mayBegin` is called right before the handler. If it refuses, the command is dropped, and the refusing side reports
   * its end.
   */
  command(command: ScriptCommand, mayBegin?: () => boolean): void;
  configurationWritten(bucket: string, child?: string): void;
  connectionChanged(isConnected: boolean): void;
  /** Of the script of a rule: what it waited for has come. False when too many wait already. */
  triggered(args: readonly LuaValue[]): boolean;
  /** What it is doing, waiting included; undefined when it does nothing. */
  activity(): RunningActivity | undefined;
  /** The commands that the script has registered a handler for. */
  handledCommands(): readonly string[];
  memoryBytes(): number;
  close(): void;
}
