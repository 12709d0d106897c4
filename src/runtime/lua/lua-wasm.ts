// The Lua interpreter as WebAssembly, instantiated without any of the JavaScript that comes with it: no file system, no
// processes, no clock. Calls of the C library to its environment are answered here, or end the state.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { FUEL_IMPORT, MATCH_FUEL_EXPORT, meterWasm, VM_FUEL_EXPORT } from "./meter-wasm.ts";

type Call = (...args: number[]) => number;

/** The C functions of Lua that are used. Pointers are numbers; every function may unwind with `LONG_JUMP`. */
export interface LuaFunctions {
  readonly luaL_newstate: () => number;
  readonly luaL_requiref: (state: number, name: number, open: number, isGlobal: number) => void;
  readonly luaL_loadbufferx: Call;
  readonly luaL_traceback: (state: number, of: number, message: number, level: number) => void;
  readonly luaL_ref: (state: number, table: number) => number;
  readonly luaL_unref: (state: number, table: number, ref: number) => void;
  readonly lua_newthread: (state: number) => number;
  readonly lua_resume: (state: number, from: number, count: number, resultCount: number) => number;
  readonly lua_resetthread: (state: number) => number;
  readonly lua_yieldk: (state: number, count: number, context: number, k: number) => number;
  readonly lua_isyieldable: (state: number) => number;
  readonly lua_sethook: (state: number, hook: number, mask: number, count: number) => void;
  readonly lua_getstack: (state: number, level: number, info: number) => number;
  readonly lua_getinfo: (state: number, what: number, info: number) => number;
  readonly lua_pcallk: Call;
  readonly lua_error: (state: number) => number;
  readonly lua_gettop: (state: number) => number;
  readonly lua_settop: (state: number, index: number) => void;
  readonly lua_checkstack: (state: number, count: number) => number;
  readonly lua_pushvalue: (state: number, index: number) => void;
  readonly lua_xmove: (from: number, to: number, count: number) => void;
  readonly lua_type: (state: number, index: number) => number;
  readonly lua_isinteger: (state: number, index: number) => number;
  readonly lua_toboolean: (state: number, index: number) => number;
  readonly lua_tonumberx: (state: number, index: number, isNumber: number) => number;
  readonly lua_tointegerx: (state: number, index: number, isNumber: number) => bigint;
  readonly lua_tolstring: (state: number, index: number, length: number) => number;
  readonly lua_rawlen: (state: number, index: number) => bigint;
  readonly lua_next: (state: number, index: number) => number;
  readonly lua_rawgeti: (state: number, index: number, key: bigint) => number;
  readonly lua_rawseti: (state: number, index: number, key: bigint) => void;
  readonly lua_rawset: (state: number, index: number) => void;
  readonly lua_createtable: (state: number, arrayCount: number, recordCount: number) => void;
  readonly lua_pushnil: (state: number) => void;
  readonly lua_pushboolean: (state: number, value: number) => void;
  readonly lua_pushnumber: (state: number, value: number) => void;
  readonly lua_pushinteger: (state: number, value: bigint) => void;
  readonly lua_pushlstring: (state: number, text: number, length: number) => number;
  readonly lua_pushcclosure: (state: number, fn: number, upvalueCount: number) => void;
  readonly luaopen_base: Call;
  readonly luaopen_coroutine: Call;
  readonly luaopen_table: Call;
  readonly luaopen_string: Call;
  readonly luaopen_math: Call;
  readonly luaopen_utf8: Call;
  readonly malloc: (size: number) => number;
  readonly free: (pointer: number) => void;
  readonly stackSave: () => number;
  readonly stackRestore: (pointer: number) => void;
  readonly setThrew: (threw: number, value: number) => void;
  readonly emscripten_stack_init: () => void;
  readonly __wasm_call_ctors: () => void;
}

export interface LuaInstance {
  readonly lua: LuaFunctions;
  readonly memory: WebAssembly.Memory;
  /** What Lua's own loop has left; 0 makes it ask at its next turn. */
  readonly vmFuel: WebAssembly.Global;
  /** The same for the matcher of patterns. */
  readonly matchFuel: WebAssembly.Global;
  /** Table indexes by which C calls the given functions. */
  readonly hook: number;
  readonly host: number;
  /** Index by which C calls an exported function, such as `luaopen_base`. */
  pointerTo(fn: unknown): number;
}

export interface LuaSurroundings {
  /** Whether the memory may grow by so many bytes, to this size, with 1 MiB of it for the C stack. */
  mayGrow(bytes: number, size: number): boolean;
  hook(state: number): void;
  /** More fuel, or it throws. Who asks is a thread, a match of a pattern, or 0 for other C code (meter-wasm.ts). */
  fuel(asking: number): number;
  /** A C function: takes its arguments from the state's stack, leaves results there and answers how many. */
  host(state: number): number;
}

/** Thrown through C frames: their state is corrupt afterwards and must never be entered again. */
export class StateGone extends Error {}

/** How C's longjmp crosses JavaScript frames; only `invoke_vii` may catch it. */
export const LONG_JUMP = Number.POSITIVE_INFINITY;

/** What Lua says where an allocation fails. */
export const NO_MEMORY = "not enough memory";

/** Static data and C stack: what an instance takes before Lua has allocated anything. */
export const FIXED_BYTES = 1_083_712;

/**
 * The digest of `dist/glue.wasm` in wasmoon 1.16.0. Limits, metering and the layout of a state's memory are proven for
 * this file only.
 */
const INTERPRETER_SHA256 = "95f3f19ddb740125883bc41d5ec670cd0828e7b58c8bdad385323cbff497b55c";

/** Compiles lazily, function by function; threads share the code. Throws for any other file than the one that was tested. */
export function compileLua(file = interpreterFile()): WebAssembly.Module {
  const bytes = readFileSync(file);
  const digest = createHash("sha256").update(bytes).digest("hex");
  if (digest === INTERPRETER_SHA256) return new WebAssembly.Module(meterWasm(bytes));
  throw new Error(
    `${file} is not the Lua interpreter that Busbar was tested with: its SHA-256 is ${digest}, expected ${INTERPRETER_SHA256}. Run npm ci to install the pinned packages again.`,
  );
}

function interpreterFile(): string {
  return createRequire(import.meta.url)
    .resolve("wasmoon")
    .replace(/index\.js$/, "glue.wasm");
}

export function instantiateLua(module: WebAssembly.Module, surroundings: LuaSurroundings): LuaInstance {
  let parts: Parts;
  let lastWords = "";
  const own: Readonly<Record<string, (...args: number[]) => number | undefined>> = {
    // A C function called where a longjmp may end it.
    invoke_vii(fn = 0, first = 0, second = 0) {
      const stack = parts.lua.stackSave();
      try {
        parts.table.get(fn)?.(first, second);
      } catch (thrown) {
        if (thrown !== LONG_JUMP) throw thrown;
        parts.lua.stackRestore(stack);
        parts.lua.setThrew(1, 0);
      }
      return undefined;
    },
    _emscripten_throw_longjmp() {
      throw LONG_JUMP;
    },
    emscripten_resize_heap(bytes = 0) {
      const size = bytes >>> 0;
      const missing = Math.ceil((size - parts.memory.buffer.byteLength) / PAGE_BYTES);
      if (!surroundings.mayGrow(missing * PAGE_BYTES, size)) return 0;
      try {
        parts.memory.grow(missing);
        return 1;
      } catch {
        return 0;
      }
    },
    [FUEL_IMPORT]: (asking = 0) => surroundings.fuel(asking),
    // Lua seeds its hashes with the time: a constant, so that `pairs` has one order for one script.
    emscripten_date_now: () => 0,
    environ_sizes_get(count = 0, size = 0) {
      const view = new DataView(parts.memory.buffer);
      view.setUint32(count, 0, true);
      view.setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    // Lua says why it cannot go on, and aborts.
    fd_write(_file = 0, vectors = 0, count = 0, written = 0) {
      const view = new DataView(parts.memory.buffer);
      let bytes = 0;
      for (let at = vectors; at < vectors + count * 8; at += 8) {
        const [from, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
        if (lastWords.length < MAX_LAST_WORDS) {
          lastWords += Buffer.from(parts.memory.buffer, from, Math.min(length, MAX_LAST_WORDS)).toString("latin1");
        }
        bytes += length;
      }
      view.setUint32(written, bytes, true);
      return 0;
    },
  };
  const imports: Record<string, Record<string, (...args: number[]) => number | undefined>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] =
      own[name] ??
      (() => {
        throw new StateGone(/\(([^()\n]+)\)/.exec(lastWords)?.[1] ?? NO_MEMORY);
      });
  }
  parts = parseParts(new WebAssembly.Instance(module, imports).exports);
  const { lua, memory, table, vmFuel, matchFuel } = parts;
  lua.__wasm_call_ctors();
  lua.emscripten_stack_init();
  const stacks = new WebAssembly.Instance(DOORS, { e: { h: surroundings.hook, f: surroundings.host } }).exports;
  const pointerTo = (fn: unknown): number => {
    const index = table.grow(1);
    table.set(index, fn);
    return index;
  };
  return { lua, memory, vmFuel, matchFuel, hook: pointerTo(stacks["h"]), host: pointerTo(stacks["f"]), pointerTo };
}

const PAGE_BYTES = 65_536;
const MAX_LAST_WORDS = 1_000;

interface Parts {
  readonly lua: LuaFunctions;
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
  readonly vmFuel: WebAssembly.Global;
  readonly matchFuel: WebAssembly.Global;
}

function parseParts(exports: WebAssembly.Exports): Parts {
  return {
    lua: exports as unknown as LuaFunctions,
    memory: exports["memory"] as WebAssembly.Memory,
    table: exports["__indirect_function_table"] as WebAssembly.Table,
    vmFuel: exports[VM_FUEL_EXPORT] as WebAssembly.Global,
    matchFuel: exports[MATCH_FUEL_EXPORT] as WebAssembly.Global,
  };
}

/** A C function pointer must be a WebAssembly function: this module imports h(i32, i32) and f(i32): i32 and exports them. */
const DOORS = new WebAssembly.Module(
  Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, 11, 2, 0x60, 2, 0x7f, 0x7f, 0, 0x60, 1, 0x7f, 1, 0x7f],
    ...[2, 13, 2, 1, 0x65, 1, 0x68, 0, 0, 1, 0x65, 1, 0x66, 0, 1],
    ...[7, 9, 2, 1, 0x68, 0, 0, 1, 0x66, 0, 1],
  ]),
);
