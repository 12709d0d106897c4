// One Lua state in an instance of its own: loading, values across the border, threads that are resumed and stopped.
import { messageOf, wrapPayload } from "#core/command/response-payload.ts";
import { bytesOf, type LuaValue } from "#drivers/lua-value.ts";
import {
  FIXED_BYTES,
  instantiateLua,
  LONG_JUMP,
  type LuaFunctions,
  type LuaInstance,
  NO_MEMORY,
  StateGone,
} from "./lua-wasm.ts";
import { MATCH_THREAD, MATCHING } from "./meter-wasm.ts";
import { jsonOf } from "./payload-of.ts";
import { createScriptHeap } from "./script-heap.ts";
import type { MemoryAccount } from "./script-memory.ts";
import { createSlice, type Slice, type Verdict } from "./slice.ts";
import { type LuaStack, pushValue, readLeniently, readValue } from "./stack-values.ts";
import { layImage, type StateImage, type StatePointers, takeImage } from "./state-image.ts";

const REGISTRY = -1_001_000;
const MULTIPLE = -1;
const STATUS_YIELD = 1;

export type Resumed =
  /** The function has returned. */
  | { readonly state: "done"; readonly results: readonly LuaValue[] }
  /** The slice is used up: resume without arguments. */
  | { readonly state: "sliced" }
  /** It waits for the host: resume with the answer. */
  | { readonly state: "call"; readonly name: string; readonly args: readonly LuaValue[] }
  | { readonly state: "failed"; readonly message: string; readonly traceback: string };

/** A function of Lua, kept from being collected. */
export type FunctionRef = number & { readonly __ref: "function" };

/** A thread of Lua, kept from being collected. */
export interface ThreadRef {
  readonly pointer: number;
  readonly ref: number;
}

export interface LuaState {
  /** Compiles text; a byte string. The answer is an error text, or the function. */
  load(source: string, chunkName: string): { readonly fn: FunctionRef } | { readonly error: string };
  /** Runs a function to its end, without slices; for code of our own. Function results become references. */
  callForFunctions(fn: FunctionRef, args: readonly (LuaValue | { readonly fn: FunctionRef })[]): readonly FunctionRef[];
  newThread(): ThreadRef;
  /** Starts a function in a thread that has none, or resumes it with results of the call it waits for. */
  start(thread: ThreadRef, fn: FunctionRef, args: readonly LuaValue[]): Resumed;
  resume(thread: ThreadRef, args: readonly LuaValue[]): Resumed;
  traceback(thread: ThreadRef): string;
  /** True while code runs that a yield would abort, although Lua allows one. */
  setYieldable(isYieldable: boolean): void;
  /** `file:line: ` of the script where the thread is, also after the state has gone; empty where it is unknown. */
  place(thread: ThreadRef): string;
  /** Ends what the thread does and forgets it. */
  dropThread(thread: ThreadRef): void;
  readonly slice: Slice;
  /** As it is now, while nothing runs. */
  image(): StateImage;
  /** An error's text, with the limit where it is about memory. */
  explained(text: string): string;
  /** How often more memory was refused to this script, because it has its own share. */
  refusals(): number;
  /** What Lua has ever needed at once. */
  memoryBytes(): number;
  /** Its memory no longer counts. It must not be entered afterwards. */
  close(): void;
}

export interface StateNeeds {
  readonly module: WebAssembly.Module;
  /** What the state begins as; without one as Lua with its libraries. */
  readonly image?: StateImage;
  readonly memoryBytes: number;
  /** What all scripts hold together; undefined where nobody counts it. */
  readonly account?: MemoryAccount | undefined;
  /** The host's clock; undefined where time stands still while a script runs. */
  readonly elapsed: (() => number) | undefined;
  /** `instant(name, ...)` of the prelude. What it throws becomes an error in Lua. */
  instant(name: string, args: readonly LuaValue[]): readonly LuaValue[];
  /** Whether values that cannot leave Lua are dropped from the arguments, or are an error. */
  isLenient(name: string): boolean;
}

export function createLuaState(needs: StateNeeds): { readonly state: LuaState; readonly instant: FunctionRef } {
  const slice = createSlice(needs.elapsed);
  let verdict: Verdict = "on";
  let vmGranted = 0;
  let cGranted = 0;
  let matchGranted = 0;
  let yieldsInSlice = 0;
  let mayYield = true;
  let isGone = false;
  const heap = createScriptHeap(needs);
  const instance = instantiateLua(needs.module, {
    mayGrow: heap.mayGrow,
    fuel: (asking) => onFuel(asking),
    hook: (thread) => onHook(thread),
    host: (pointer) => onHost(pointer),
  });
  const { lua, memory } = instance;
  const pointers = needs.image === undefined ? openState(instance) : layImage(memory, needs.image);
  const { main, scratch, resultCount, info } = pointers;
  const memoryBytes = () => memory.buffer.byteLength - FIXED_BYTES;
  heap.open(memoryBytes());
  const stack: LuaStack = { lua, memory, scratch, scratchBytes: SCRATCH_BYTES };

  /**
   * A hook stops Lua's own loop at its next instruction. A match of a pattern is interrupted by an error, which the
   * prelude expects. Other C code cannot be stopped, only given up.
   */
  function onFuel(asking: number): number {
    // What is asked of a state that has gone, where it was, costs little and must be answered.
    if (isGone) return FUEL_WHEN_GONE;
    const isMatch = (asking & MATCHING) !== 0;
    const isVm = asking !== 0 && !isMatch;
    verdict = slice.judge(isVm ? vmGranted : isMatch ? matchGranted : cGranted);
    if (verdict === "give up") {
      isGone = true;
      throw new StateGone(TOO_LONG);
    }
    if (isVm) {
      slice.backInLua();
      if (verdict !== "on") lua.lua_sethook(asking, instance.hook, MASK_COUNT, 1);
      vmGranted = slice.fuel();
      return vmGranted;
    }
    // The hook can be set only where the running thread is known: Lua's loop is to ask as soon as it is back.
    if (verdict !== "on") {
      vmGranted = 0;
      instance.vmFuel.value = 0;
    }
    if (isMatch) {
      matchGranted = 0;
      if (verdict !== "on" && slice.isMatchTooLong()) interruptMatch(stack, asking - MATCHING);
      matchGranted = slice.fuel();
      return matchGranted;
    }
    if (verdict !== "on") {
      matchGranted = 0;
      instance.matchFuel.value = 0;
    }
    cGranted = slice.fuel();
    return cGranted;
  }

  function onHook(thread: number): void {
    const isOver = verdict !== "on";
    // Where a stop cannot be passed on, it is tried again soon, and not in step with the script's own loops.
    lua.lua_sethook(thread, isOver ? instance.hook : 0, isOver ? MASK_COUNT : 0, isOver ? RETRY_INSTRUCTIONS : 0);
    if (!isOver) return;
    // The stop must reach the host even through pcall: a yield passes it by. It does not arrive where C code lies on
    // the way, of this thread or of one that has resumed it.
    if (mayYield && lua.lua_isyieldable(thread) === 1 && (verdict === "stop" || yieldsInSlice < YIELDS_BEFORE_ERROR)) {
      yieldsInSlice += 1;
      lua.lua_sethook(thread, 0, 0, 0);
      lua.lua_yieldk(thread, 0, 0, 0);
    } else if (verdict === "error") {
      pushValue(stack, thread, TOO_LONG);
      lua.lua_error(thread);
    }
  }

  function onHost(pointer: number): number {
    let results: readonly LuaValue[];
    const from = slice.used();
    try {
      const name = String(readValue(stack, pointer, 1));
      results = needs.instant(name, readStack(pointer, 2, needs.isLenient(name) ? readLeniently : readValue));
    } catch (error) {
      if (error === LONG_JUMP || error instanceof StateGone || error instanceof WebAssembly.RuntimeError) throw error;
      pushValue(stack, pointer, error instanceof Error ? error.message : String(error));
      return lua.lua_error(pointer);
    }
    lua.lua_settop(pointer, 0);
    for (const result of results) pushValue(stack, pointer, result);
    // The host's work for a script burns no fuel, and yet a loop of such calls must end.
    if (slice.charge(from)) {
      verdict = "stop";
      lua.lua_sethook(pointer, instance.hook, MASK_COUNT, 1);
    }
    return results.length;
  }

  function readStack(pointer: number, first: number, read: typeof readValue): LuaValue[] {
    const values: LuaValue[] = [];
    const last = lua.lua_gettop(pointer);
    for (let index = first; index <= last; index += 1) values.push(read(stack, pointer, index));
    return values;
  }

  function refTop(): FunctionRef {
    return parseFunctionRef(lua.luaL_ref(main, REGISTRY));
  }

  function go(thread: ThreadRef, args: readonly LuaValue[]): Resumed {
    const { pointer } = thread;
    for (const arg of args) pushValue(stack, pointer, arg);
    yieldsInSlice = 0;
    verdict = "on";
    const status = lua.lua_resume(pointer, 0, args.length, resultCount);
    if (status > STATUS_YIELD) return failed(pointer);
    const count = new DataView(memory.buffer).getInt32(resultCount, true);
    const values = readStack(pointer, lua.lua_gettop(pointer) - count + 1, readLeniently);
    lua.lua_settop(pointer, -count - 1);
    if (status !== STATUS_YIELD) return { state: "done", results: values };
    const [name, ...rest] = values;
    return name === undefined ? { state: "sliced" } : { state: "call", name: String(name), args: rest };
  }

  function failed(pointer: number): Resumed {
    const message = heap.explained(errorText(readLeniently(stack, pointer, -1)));
    return { state: "failed", message, traceback: trace(stack, pointers, pointer) };
  }

  const state: LuaState = {
    load(source, chunkName) {
      const text = cString(lua, memory, source);
      const name = cString(lua, memory, chunkName);
      const mode = cString(lua, memory, "t");
      const status = lua.luaL_loadbufferx(main, text, source.length, name, mode);
      for (const pointer of [text, name, mode]) lua.free(pointer);
      if (status === 0) return { fn: refTop() };
      const error = errorText(readLeniently(stack, main, -1));
      lua.lua_settop(main, -2);
      return { error };
    },
    callForFunctions(fn, args) {
      lua.lua_rawgeti(main, REGISTRY, BigInt(fn));
      for (const arg of args) {
        if (typeof arg === "object" && "fn" in arg) lua.lua_rawgeti(main, REGISTRY, BigInt(arg.fn));
        else pushValue(stack, main, arg);
      }
      if (lua.lua_pcallk(main, args.length, MULTIPLE, 0, 0, 0) !== 0) {
        throw new StateGone(errorText(readLeniently(stack, main, -1)));
      }
      const refs: FunctionRef[] = [];
      while (lua.lua_gettop(main) > 0) refs.unshift(refTop());
      return refs;
    },
    newThread() {
      const pointer = lua.lua_newthread(main);
      return { pointer, ref: lua.luaL_ref(main, REGISTRY) };
    },
    start(thread, fn, args) {
      lua.lua_rawgeti(thread.pointer, REGISTRY, BigInt(fn));
      return go(thread, args);
    },
    resume: go,
    traceback: (thread) => trace(stack, pointers, thread.pointer),
    place(thread) {
      const view = new DataView(memory.buffer);
      for (
        let level = 0;
        level < MAX_LEVELS && lua.lua_getstack(thread.pointer, level, info.record) === 1;
        level += 1
      ) {
        lua.lua_getinfo(thread.pointer, info.what, info.record);
        const line = view.getInt32(info.record + INFO_LINE, true);
        const source = Buffer.from(memory.buffer, info.record + INFO_SOURCE, INFO_SOURCE_BYTES).toString("latin1");
        const name = source.slice(0, source.indexOf("\0"));
        if (line > 0 && !name.startsWith("[")) return `${name}:${line}: `;
      }
      return "";
    },
    setYieldable(isYieldable) {
      mayYield = isYieldable;
    },
    dropThread(thread) {
      mayYield = false;
      lua.lua_resetthread(thread.pointer);
      mayYield = true;
      lua.luaL_unref(main, REGISTRY, thread.ref);
    },
    slice,
    explained: heap.explained,
    refusals: heap.refusals,
    image: () => takeImage(memory, pointers),
    memoryBytes,
    close: heap.close,
  };
  return { state, instant: parseFunctionRef(pointers.instant) };
}

function interruptMatch(stack: LuaStack, match: number): void {
  const thread = new DataView(stack.memory.buffer).getUint32(match + MATCH_THREAD, true);
  pushValue(stack, thread, TOO_LONG);
  stack.lua.lua_error(thread);
}

/** Lua walks over the whole stack several times for it, so there is none for a deep stack. */
function trace(stack: LuaStack, { main, info }: StatePointers, pointer: number): string {
  const { lua } = stack;
  if (lua.lua_getstack(pointer, MAX_TRACED_LEVELS, info.record) === 1) return "";
  lua.luaL_traceback(main, pointer, 0, 0);
  const text = String(readValue(stack, main, -1));
  lua.lua_settop(main, -2);
  return text;
}

/** A new state with the libraries that a script may have. */
function openState({ lua, memory, host, pointerTo }: LuaInstance): StatePointers {
  const main = lua.luaL_newstate();
  if (main === 0) throw new StateGone(NO_MEMORY);
  const open = (name: string, fn: unknown): void => {
    const text = cString(lua, memory, name);
    lua.luaL_requiref(main, text, pointerTo(fn), 1);
    lua.lua_settop(main, 0);
    lua.free(text);
  };
  open("_G", lua.luaopen_base);
  open("coroutine", lua.luaopen_coroutine);
  open("table", lua.luaopen_table);
  open("string", lua.luaopen_string);
  open("math", lua.luaopen_math);
  open("utf8", lua.luaopen_utf8);
  lua.lua_pushcclosure(main, host, 0);
  return {
    main,
    scratch: lua.malloc(SCRATCH_BYTES),
    resultCount: lua.malloc(8),
    info: { record: lua.malloc(INFO_BYTES), what: cString(lua, memory, "Sl") },
    instant: lua.luaL_ref(main, REGISTRY),
  };
}

const SCRATCH_BYTES = 16_384;
const MASK_COUNT = 8;
/** Where `lua_Debug` holds the current line and the short name of the source. */
const INFO_BYTES = 128;
const INFO_LINE = 24;
const INFO_SOURCE = 44;
const INFO_SOURCE_BYTES = 60;
const MAX_LEVELS = 50;
const MAX_TRACED_LEVELS = 1_000;
const FUEL_WHEN_GONE = 1_000_000_000;
const YIELDS_BEFORE_ERROR = 3;
const RETRY_INSTRUCTIONS = 7;
/** prelude/05-patterns.lua knows these words, too. */
const TOO_LONG = "the script ran too long without giving way";

function parseFunctionRef(ref: number): FunctionRef {
  return ref as FunctionRef;
}

function errorText(value: LuaValue): string {
  if (typeof value === "string") return value;
  // As for ctx.error: what the table says, or its JSON.
  if (typeof value === "object") return bytesOf(messageOf(wrapPayload("ERROR", jsonOf(value))));
  return String(value ?? "nil");
}

/** Byte string with an end mark, to be freed by the caller. */
function cString(lua: LuaFunctions, memory: WebAssembly.Memory, text: string): number {
  const pointer = lua.malloc(text.length + 1);
  if (pointer === 0) throw new StateGone(NO_MEMORY);
  const bytes = Buffer.from(memory.buffer, pointer, text.length + 1);
  bytes.write(text, "latin1");
  bytes[text.length] = 0;
  return pointer;
}
