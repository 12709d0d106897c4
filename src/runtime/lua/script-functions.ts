// What `instant(name, ...)` of the prelude answers, by name. Arguments come from a script and are never trusted.
import { readFileSync } from "node:fs";
import type { Payload } from "#core/command/execution.ts";
import { withMessage, wrapPayload } from "#core/command/response-payload.ts";
import { type LogSeverity, parseSeverity } from "#core/device/device-message.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import { findModule } from "#drivers/find-module.ts";
import { bytesOf, type LuaValue, textOf } from "#drivers/lua-value.ts";
import type { JobList } from "./job-list.ts";
import { createJsonReader, type JsonReader } from "./json-reader.ts";
import { createJsonWriter } from "./json-writer.ts";
import { jsonOf } from "./payload-of.ts";
import { findRuleModule } from "./rule/rule-program.ts";
import type { ScriptHost } from "./script-host.ts";
import { dateOf, timeOf } from "./script-time.ts";

type Instant = (...args: readonly LuaValue[]) => readonly LuaValue[];

interface FunctionNeeds {
  readonly host: ScriptHost;
  readonly program: ScriptProgram;
  readonly jobs: JobList;
  readonly startedAt: number;
  setYieldable(isYieldable: boolean): void;
  commandFailed(payload: Payload): void;
  commandLog(message: string, severity: LogSeverity | undefined): void;
  commandHandled(name: string): void;
}

const MAX_LIST = 600_000;
const MAX_LOG_CHARACTERS = 4_096;
/** Limit for arguments that cost far more time and memory than their length: a date format, the name of a module. */
const MAX_SHORT_TEXT = 1_000;

/** Values that cannot leave Lua are dropped one by one, never the whole message. */
export const LENIENT = new Set(["telemetry", "properties", "log", "command.log", "command.error"]);

export function createScriptFunctions(needs: FunctionNeeds): ReadonlyMap<string, Instant> {
  const { host, program, jobs } = needs;
  /** The documents that are being written and read: a script does one thing at a time. */
  let writer = createJsonWriter();
  let reader: JsonReader | undefined;
  let nextRun = 0;
  const functions: Readonly<Record<string, Instant>> = {
    entry: () => [bytesOf(program.entry), sourceOf(program, program.entry), program.host],
    "compat v1": () => [readV1()],
    "rule host": () => [readRuleHost()],
    rule: () => [host.rule && bytesOf(host.rule.id), host.rule && bytesOf(host.rule.timezone), host.rule?.intervalMs],
    "rule.next"() {
      nextRun = nextRunOf(host.rule?.intervalMs ?? Number.POSITIVE_INFINITY, host.now(), nextRun);
      return [nextRun - host.now(), nextRun];
    },
    require(name, folder) {
      const asked = textOf(short(name));
      const isRule = program.host === "rule";
      const found = isRule ? findRuleModule(program, asked) : findModule(program, asked, textOf(String(folder)));
      if ("path" in found) return [bytesOf(found.path), sourceOf(program, found.path)];
      if ("library" in found) return [found.library];
      const tried = isRule ? found.tried : `:\n\tno field package.preload['${asked}']${found.tried}`;
      return [undefined, undefined, bytesOf(tried)];
    },
    "chunk name": (path) => [program.nodebug ? "=?" : `@${String(path)}`],
    seed: () => [Math.trunc(host.randomSeed)],
    closing(isClosing) {
      needs.setYieldable(isClosing !== true);
      return [];
    },
    log(text, severity, persist, child) {
      host.log(lineOf(text), severityOf(severity) ?? "info", persist === true, childOf(child));
      return [];
    },
    telemetry: (values, child) => errorOf(host.telemetry(tableOf(values), childOf(child))),
    properties: (values, child) => errorOf(host.properties(tableOf(values), childOf(child))),
    "is connected": () => [host.isConnected()],
    "scheduler.add": (period) => [jobs.add(Number(period), host.elapsed())],
    "scheduler.remove"(id) {
      jobs.remove(Number(id));
      return [];
    },
    "configuration.read"(bucket, child) {
      const values = host.configuration.read(textOf(String(bucket)), childOf(child));
      return values ? [values] : [undefined, bytesOf(`there is no configuration bucket '${textOf(String(bucket))}'`)];
    },
    "configuration.is_all_required_set": (bucket, child) => [
      host.configuration.isAllRequiredSet(textOf(String(bucket)), childOf(child)),
    ],
    "storage.read"(key) {
      const text = host.storage.read(String(key));
      return text === undefined ? [undefined, "NotFound"] : [text];
    },
    "system.uptime": () => [(host.elapsed() - needs.startedAt) / 1000],
    "os.clock": () => [(host.elapsed() - needs.startedAt) / 1000],
    "os.time": (fields) => (fields instanceof Map ? timeOf(fields) : [Math.floor(host.now() / 1000)]),
    "os.date"(format, time) {
      return [dateOf(short(format), time === undefined ? Math.floor(host.now() / 1000) : Number(time))];
    },
    list: (count) => [new Array<LuaValue>(Math.min(Number(count), MAX_LIST)).fill(undefined)],
    "json.encode"(packed, isFirst, isLast) {
      if (isFirst === true) writer = createJsonWriter();
      return attempt(() => {
        writer.add(String(packed));
        return isLast === true ? writer.finish() : undefined;
      });
    },
    "json.decode"(text) {
      try {
        if (text !== undefined) reader = createJsonReader(String(text));
        const packed = reader?.step();
        return packed === undefined ? [] : [true, packed];
      } catch (error) {
        return [false, bytesOf(error instanceof Error ? error.message : String(error))];
      }
    },
    "command.handled"(name) {
      needs.commandHandled(textOf(String(name)));
      return [];
    },
    "command.error"(message) {
      needs.commandFailed(
        typeof message === "object"
          ? withMessage(wrapPayload("ERROR", jsonOf(message)))
          : { message: textOf(String(message)).slice(0, MAX_LOG_CHARACTERS) },
      );
      return [];
    },
    "command.log"(message, severity) {
      needs.commandLog(lineOf(message), severityOf(severity));
      return [];
    },
  };
  return new Map(Object.entries(functions));
}

let v1: string | undefined;

/** Read when the first script needs it. */
function readV1(): string {
  v1 ??= readFileSync(new URL("./v1/v1.lua", import.meta.url), "latin1");
  return v1;
}

let ruleHost: string | undefined;

function readRuleHost(): string {
  ruleHost ??= readFileSync(new URL("./rule/rule.lua", import.meta.url), "latin1");
  return ruleHost;
}

/**
 * Runs are due at whole multiples of the interval since 1970: a restart neither repeats one nor shifts the others. A timer may
 * fire a little too early.
 */
function nextRunOf(intervalMs: number, now: number, last: number): number {
  return Math.max(last, Math.floor(now / intervalMs) * intervalMs) + intervalMs;
}

function short(value: LuaValue): string {
  const text = String(value);
  if (text.length > MAX_SHORT_TEXT)
    throw new RangeError(`a text of more than ${MAX_SHORT_TEXT} bytes is too long here`);
  return text;
}

function attempt(action: () => LuaValue): readonly LuaValue[] {
  try {
    return [true, action()];
  } catch (error) {
    return [false, bytesOf(error instanceof Error ? error.message : String(error))];
  }
}

function childOf(channel: LuaValue): string | undefined {
  return channel === undefined ? undefined : textOf(String(channel));
}

function errorOf(problem: string | undefined): readonly LuaValue[] {
  return [problem === undefined ? undefined : bytesOf(problem)];
}

/** A table is logged as its JSON. */
function lineOf(value: LuaValue): string {
  const text = typeof value === "object" ? JSON.stringify(jsonOf(value)) : textOf(String(value));
  return text.slice(0, MAX_LOG_CHARACTERS);
}

function severityOf(value: LuaValue): LogSeverity | undefined {
  return typeof value === "string" ? parseSeverity(value) : undefined;
}

/** A table by its keys' texts, also where it looked like a list. */
function tableOf(value: LuaValue): ReadonlyMap<string, LuaValue> {
  if (value instanceof Map) return value;
  if (!Array.isArray(value)) return new Map();
  return new Map(value.map((item: LuaValue, index) => [String(index + 1), item]));
}

function sourceOf(program: ScriptProgram, path: string): string {
  const source = program.modules.get(path);
  const text = typeof source === "string" ? bytesOf(source) : Buffer.from(source ?? "").toString("latin1");
  // A first line such as #!/usr/bin/lua is for other readers; the line itself stays, for the numbering.
  return text.replace(/^(?:\xef\xbb\xbf)?(?:#[^\n]*)?/, "");
}
