// Runs a Lua text that describes something, such as a rockspec, in an interpreter of its own with nothing in reach but
// pure functions of the language. Bounded by its work, not by the clock, so the same text always ends the same way.
import type { EvaluatedLua, EvaluateLua, LuaData } from "#core/lua/lua-data.ts";
import { bytesOf, type LuaValue, textOf } from "#drivers/lua-value.ts";
import { createLuaState } from "./lua-state.ts";
import { compileLua, StateGone } from "./lua-wasm.ts";

const MEMORY_BYTES = 16 * 1024 * 1024;
/** Milliseconds of a slow gateway, counted in work. Real rockspecs need a thousandth. */
const BUDGET_MS = 200;
const MAX_CHARACTERS = 256 * 1024;
/** A text chooses the words of its own error. */
const MAX_MESSAGE = 300;
const NAME = "rockspec";

/** What the text sets is in its own table; the functions that it may use are behind it. */
const RUN = `
local text = ...
local given = {
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, pcall = pcall, select = select,
  tonumber = tonumber, tostring = tostring, type = type, unpack = table.unpack, _VERSION = 'Lua 5.3',
  math = math, string = string, table = table, utf8 = utf8,
}
string.dump = nil
local values = setmetatable({}, { __index = given })
local chunk, problem = load(text, '=${NAME}', 't', values)
if not chunk then
  error(problem, 0)
end
chunk()
return values
`;

export function createEvaluator(): EvaluateLua {
  let module: WebAssembly.Module | undefined;
  return (text) => {
    if (text.length > MAX_CHARACTERS) return refused(`it is longer than ${MAX_CHARACTERS / 1024} KiB`);
    module ??= compileLua();
    try {
      return run(module, text);
    } catch (error) {
      if (!(error instanceof StateGone)) throw error;
      return refused(error.message);
    }
  };
}

function run(module: WebAssembly.Module, text: string): EvaluatedLua {
  const { state } = createLuaState({
    module,
    memoryBytes: MEMORY_BYTES,
    elapsed: undefined,
    instant: () => [],
    isLenient: () => true,
  });
  try {
    const loaded = state.load(RUN, "=[evaluate]");
    if ("error" in loaded) throw new Error(loaded.error);
    state.slice.begin(BUDGET_MS);
    // As a script's file is read: without a byte order mark and a first line for other readers.
    const source = bytesOf(text).replace(/^(?:\xef\xbb\xbf)?(?:#[^\n]*)?/, "");
    const ended = state.start(state.newThread(), loaded.fn, [source]);
    if (ended.state === "failed") return refused(textOf(ended.message));
    if (ended.state !== "done") return refused("it computes for too long");
    const [values] = ended.results;
    return { values: new Map(values instanceof Map ? fieldsOf(values) : []), problem: undefined };
  } finally {
    state.close();
  }
}

/** `rockspec:3: what is wrong`, as the interpreter says it. */
function refused(said: string): EvaluatedLua {
  const [, line, message] = new RegExp(`^${NAME}:(\\d+): ([\\s\\S]*)$`).exec(said) ?? [];
  const words = (message ?? said).slice(0, MAX_MESSAGE);
  return { values: undefined, problem: { line: Number(line ?? 1), message: words } };
}

function dataOf(value: LuaValue): LuaData {
  if (typeof value === "string") return textOf(value);
  // What cannot leave the interpreter, such as a function, arrives as NaN.
  if (typeof value === "number") return Number.isNaN(value) ? undefined : value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Map) return { list: listOf(value), fields: new Map(fieldsOf(value)) };
  if (Array.isArray(value)) return { list: value.map(dataOf), fields: new Map() };
  return typeof value === "boolean" ? value : undefined;
}

/** The part of a mixed table that is a list. */
function listOf(table: ReadonlyMap<string, LuaValue>): readonly LuaData[] {
  const list: LuaData[] = [];
  for (let index = 1; table.has(String(index)); index += 1) list.push(dataOf(table.get(String(index))));
  return list;
}

/** In one order: that of a table in Lua is no order. */
function fieldsOf(table: ReadonlyMap<string, LuaValue>): readonly [string, LuaData][] {
  const named = [...table].filter(([key]) => !/^\d+$/.test(key));
  return named
    .map(([key, value]): [string, LuaData] => [textOf(key), dataOf(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
