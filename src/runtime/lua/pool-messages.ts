// The messages between the pool and its threads. A slot is one start of one device: a late message from an earlier
// start names a slot that no longer exists.
import type { Payload } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { SentRequest } from "#core/rule/shown-request.ts";
import type { DriverThreadData } from "#drivers/driver-thread.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import type { CommandGate } from "./command-gate.ts";
import type { LuaEngine } from "./lua-engine.ts";
import type { RuleOfScript, RunningActivity, ScriptChild, ScriptCommand, ScriptError } from "./script-host.ts";
import type { ScriptMemory } from "./script-memory.ts";

export interface BucketValues {
  /** Defaults applied; keys and texts as byte strings. */
  readonly values: ReadonlyMap<string, LuaValue>;
  readonly isAllRequiredSet: boolean;
}

/** The values of a bucket, of the device itself or of a child. */
export interface ConfigurationChange {
  readonly bucket: string;
  readonly values: BucketValues;
  /** The channel of the child; undefined: it is the device's own. */
  readonly child: string | undefined;
  /** It was just written, so the functions of after_write run. */
  readonly isNews: boolean;
}

/** The data with which a script starts. */
export interface ScriptContext {
  readonly deviceId: string;
  /** By which the installer's address policy may name the device. */
  readonly slug: string;
  /** Sites take turns on the thread. */
  readonly siteId: string;
  readonly configuration: ReadonlyMap<string, BucketValues>;
  /** Key to text, both byte strings. */
  readonly storage: ReadonlyMap<string, string>;
  readonly isConnected: boolean;
  readonly randomSeed: number;
  /** Of the script of a rule, whose id is `deviceId`. Its calls are "ask", but for those of HTTP. */
  readonly rule?: RuleOfScript;
}

export interface WorkerData {
  readonly engine: LuaEngine;
  /** What all scripts hold together. */
  readonly memory: ScriptMemory;
  /** Numbers the pool reads without asking: turns of the thread's loop, the slot that runs (0: none), KiB its scripts hold. */
  readonly pulse: Int32Array<SharedArrayBuffer>;
  /** undefined: scripts have no drivers. */
  readonly drivers: DriverThreadData | undefined;
}

export const PULSE_BEAT = 0;
export const PULSE_SLOT = 1;
export const PULSE_MEMORY = 2;

export type ToWorker =
  | {
      readonly kind: "start";
      readonly slot: number;
      readonly program: ScriptProgram;
      readonly context: ScriptContext;
      readonly gate: CommandGate;
    }
  | { readonly kind: "stop"; readonly slot: number }
  | { readonly kind: "command"; readonly slot: number; readonly command: ScriptCommand; readonly ticket: number }
  | { readonly kind: "configuration"; readonly slot: number; readonly change: ConfigurationChange }
  | { readonly kind: "connection"; readonly slot: number; readonly isConnected: boolean }
  | { readonly kind: "trigger"; readonly slot: number; readonly args: readonly LuaValue[] }
  | { readonly kind: "stored"; readonly slot: number; readonly id: number; readonly error: string | undefined }
  | { readonly kind: "answer"; readonly slot: number; readonly id: number; readonly values: readonly LuaValue[] };

/** An activity of a rule's script. Times are Unix milliseconds. */
export interface AskingActivity {
  /** Of one start of the script, each has another one. */
  readonly id: number;
  readonly kind: RunningActivity["kind"];
  readonly beganAt: number;
  /** The file and the line that asks, if known. */
  readonly place: string | undefined;
}

export interface EndedActivity extends Omit<AskingActivity, "place"> {
  readonly endedAt: number;
  readonly error: ScriptError | undefined;
}

/** Times are Unix milliseconds. */
export type ToPool =
  | { readonly kind: "ready" }
  | { readonly kind: "started"; readonly slot: number }
  | {
      readonly kind: "telemetry" | "properties";
      readonly slot: number;
      readonly values: ReadonlyMap<string, LuaValue>;
      readonly at: number;
      /** The channel of the child that it is about. */
      readonly child?: string | undefined;
    }
  | {
      readonly kind: "log";
      readonly slot: number;
      readonly text: string;
      readonly severity: LogSeverity;
      readonly persist: boolean;
      readonly at: number;
      readonly child?: string | undefined;
    }
  | {
      readonly kind: "response";
      readonly slot: number;
      readonly commandId: string;
      readonly state: "IN_PROGRESS" | "SUCCEEDED" | "ERROR";
      readonly payload: Payload;
    }
  /** Answered by "stored". */
  | { readonly kind: "child"; readonly slot: number; readonly id: number; readonly child: ScriptChild }
  | { readonly kind: "store"; readonly slot: number; readonly id: number; readonly key: string; readonly text?: string }
  /** Answered by "answer". */
  | {
      readonly kind: "ask";
      readonly slot: number;
      readonly id: number;
      readonly name: string;
      readonly args: readonly LuaValue[];
      /** What the script is doing. */
      readonly by: AskingActivity;
    }
  /** A rule's script sends a request; "requested" says what came of it. */
  | { readonly kind: "request"; readonly slot: number; readonly by: AskingActivity; readonly sent: SentRequest }
  | { readonly kind: "requested"; readonly slot: number; readonly result: string }
  /** An activity that has asked for something has ended. */
  | { readonly kind: "ended"; readonly slot: number; readonly by: EndedActivity }
  | { readonly kind: "fault"; readonly slot: number; readonly error: ScriptError; readonly at: number }
  /** An activity lasts too long. */
  | {
      readonly kind: "overrun";
      readonly slot: number;
      readonly activity: RunningActivity;
      readonly since: number;
    }
  /** What keeps the device from talking to its peers; undefined: it talks to them again. */
  | { readonly kind: "peers"; readonly slot: number; readonly problem: string | undefined; readonly at: number }
  /** It has ended. */
  | { readonly kind: "caught up"; readonly slot: number }
  /** The script has failed: by a limit, or by its own error in the entry chunk. */
  | { readonly kind: "dead"; readonly slot: number; readonly byLimit: boolean }
  | { readonly kind: "memory"; readonly bytes: ReadonlyMap<number, number> };
