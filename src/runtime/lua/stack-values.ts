// Moves plain values onto a Lua stack and off it. Reads never call metamethods, so no code of a script runs meanwhile.
import type { LuaValue } from "#drivers/lua-value.ts";
import { type LuaFunctions, NO_MEMORY, StateGone } from "./lua-wasm.ts";

export interface LuaStack {
  readonly lua: LuaFunctions;
  readonly memory: WebAssembly.Memory;
  /** Memory inside the instance through which short strings pass. */
  readonly scratch: number;
  readonly scratchBytes: number;
}

const MAX_DEPTH = 32;
/** Values in one call, all levels together, keys included: a table of telemetry has dozens. */
const MAX_VALUES = 50_000;
/** Bytes of all strings in one call. */
const MAX_BYTES = 4_194_304;

const NIL = 0;
const BOOLEAN = 1;
const NUMBER = 3;
const STRING = 4;
const TABLE = 5;
const TYPE_NAMES = ["nil", "boolean", "userdata", "number", "string", "table", "function", "userdata", "thread"];

/** A function, a coroutine or a table too large to pass. */
class CannotCross extends Error {}

/** A value that cannot leave Lua becomes NaN, which later checks drop and report. */
export function readLeniently(stack: LuaStack, state: number, index: number): LuaValue {
  return read(stack, state, absolute(stack, state, index), { budget: newBudget(), depth: 0, isLenient: true });
}

/** Throws CannotCross for what has no place outside Lua. */
export function readValue(stack: LuaStack, state: number, index: number): LuaValue {
  return read(stack, state, absolute(stack, state, index), { budget: newBudget(), depth: 0, isLenient: false });
}

interface Budget {
  left: number;
  bytes: number;
}

const newBudget = (): Budget => ({ left: MAX_VALUES, bytes: MAX_BYTES });

interface Reading {
  readonly budget: Budget;
  readonly depth: number;
  readonly isLenient: boolean;
}

function absolute(stack: LuaStack, state: number, index: number): number {
  return index < 0 ? stack.lua.lua_gettop(state) + 1 + index : index;
}

function refused(reading: Reading, why: string): LuaValue {
  if (reading.isLenient) return Number.NaN;
  throw new CannotCross(why);
}

function read(stack: LuaStack, state: number, index: number, reading: Reading): LuaValue {
  const { lua } = stack;
  const type = lua.lua_type(state, index);
  reading.budget.left -= 1;
  if (reading.budget.left < 0) return refused(reading, `more than ${MAX_VALUES} values in one table`);
  if (type <= NIL) return undefined;
  if (type === BOOLEAN) return lua.lua_toboolean(state, index) === 1;
  if (type === NUMBER) return readNumber(lua, state, index);
  if (type === STRING) return readString(stack, state, { index, reading });
  if (type !== TABLE) return refused(reading, `a ${TYPE_NAMES[type] ?? "value of unknown type"} cannot be passed on`);
  if (reading.depth >= MAX_DEPTH) return refused(reading, `tables nested more than ${MAX_DEPTH} deep, or in a circle`);
  if (lua.lua_checkstack(state, 4) === 0) throw new StateGone(NO_MEMORY);
  return readTable(stack, state, index, { ...reading, depth: reading.depth + 1 });
}

function readNumber(lua: LuaFunctions, state: number, index: number): number | bigint {
  const value = lua.lua_tonumberx(state, index, 0);
  if (Number.isSafeInteger(value) || lua.lua_isinteger(state, index) === 0) return value;
  return lua.lua_tointegerx(state, index, 0);
}

function readString(
  stack: LuaStack,
  state: number,
  { index, reading }: { readonly index: number; readonly reading: Reading },
): LuaValue {
  const pointer = stack.lua.lua_tolstring(state, index, stack.scratch);
  const length = new DataView(stack.memory.buffer).getUint32(stack.scratch, true);
  reading.budget.bytes -= length;
  if (reading.budget.bytes < 0) return refused(reading, `more than ${MAX_BYTES} bytes of text in one call`);
  return Buffer.from(stack.memory.buffer, pointer, length).toString("latin1");
}

function readTable(stack: LuaStack, state: number, index: number, reading: Reading): LuaValue {
  const { lua } = stack;
  const length = Number(lua.lua_rawlen(state, index));
  const map = new Map<string, LuaValue>();
  let isList = true;
  lua.lua_pushnil(state);
  const top = lua.lua_gettop(state);
  const list: LuaValue[] = [];
  while (lua.lua_next(state, index) !== 0) {
    const key = read(stack, state, top, reading);
    const value = read(stack, state, top + 1, reading);
    lua.lua_settop(state, top);
    if (reading.budget.left < 0) break;
    if (typeof key === "object") return refused(reading, "a table cannot be a key of a table that is passed on");
    if (typeof key === "number" && Number.isInteger(key) && key >= 1 && key <= length) list[key - 1] = value;
    else isList = false;
    map.set(String(key), value);
  }
  if (!isList) return map;
  // Lua has no null: `{nil, 'AA'}` is a list of two with a gap. Every gap of the array is undefined, not a hole.
  return map.size === length ? list : Array.from({ length }, (_, at) => list[at]);
}

export function pushValue(stack: LuaStack, state: number, value: LuaValue): void {
  const { lua } = stack;
  if (lua.lua_checkstack(state, 4) === 0) throw new StateGone(NO_MEMORY);
  if (value === undefined) lua.lua_pushnil(state);
  else if (typeof value === "boolean") lua.lua_pushboolean(state, value ? 1 : 0);
  else if (typeof value === "number") {
    // -0 is a float in Lua, there is no such integer.
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) lua.lua_pushinteger(state, BigInt(value));
    else lua.lua_pushnumber(state, value);
  } else if (typeof value === "bigint") lua.lua_pushinteger(state, BigInt.asIntN(64, value));
  else if (typeof value === "string") pushString(stack, state, value);
  else if (value instanceof Map) {
    lua.lua_createtable(state, 0, value.size);
    for (const [key, item] of value) {
      if (item === undefined) continue;
      pushString(stack, state, key);
      pushValue(stack, state, item);
      lua.lua_rawset(state, -3);
    }
  } else pushList(stack, state, parseList(value));
}

function pushList(stack: LuaStack, state: number, list: readonly LuaValue[]): void {
  stack.lua.lua_createtable(state, list.length, 0);
  for (const [index, item] of list.entries()) {
    if (item === undefined) continue;
    pushValue(stack, state, item);
    stack.lua.lua_rawseti(state, -2, BigInt(index + 1));
  }
}

function pushString(stack: LuaStack, state: number, text: string): void {
  const { lua } = stack;
  const isShort = text.length <= stack.scratchBytes;
  const pointer = isShort ? stack.scratch : lua.malloc(text.length);
  if (pointer === 0) {
    // An error of the script that asked for it, where there is one.
    pushString(stack, state, NO_MEMORY);
    lua.lua_error(state);
  }
  Buffer.from(stack.memory.buffer, pointer, text.length).write(text, "latin1");
  lua.lua_pushlstring(state, pointer, text.length);
  if (!isShort) lua.free(pointer);
}

/** Array.isArray does not narrow readonly arrays. */
function parseList(value: LuaValue): readonly LuaValue[] {
  return value as readonly LuaValue[];
}
