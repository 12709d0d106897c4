import { readdirSync, readFileSync } from "node:fs";
import { readPreludes } from "#drivers/read-preludes.ts";
import { createLuaState, type FunctionRef } from "./lua-state.ts";
import { compileLua } from "./lua-wasm.ts";
import type { MemoryAccount } from "./script-memory.ts";
import type { StateImage } from "./state-image.ts";

export interface ScriptLimits {
  /** What one script may hold. */
  readonly memoryBytes: number;
  /** Time one activity may compute without a pause; the script is given up then. */
  readonly activityMs: number;
  /** An activity that lasts longer, waiting included, is reported: everything else of the device waits for it. */
  readonly overrunMs: number;
  /** The host's clock stands still while a script runs: slices and limits count instructions instead. */
  readonly isVirtualTime: boolean;
}

const DEFAULT_LIMITS: ScriptLimits = {
  memoryBytes: 16 * 1024 * 1024,
  activityMs: 10_000,
  overrunMs: 10_000,
  isVirtualTime: false,
};

/** What all scripts share. Plain data and compiled code, so that threads can share it too. */
export interface LuaEngine {
  readonly module: WebAssembly.Module;
  /** A state after the prelude. */
  readonly image: StateImage;
  /** The prelude's function that plays an activity. */
  readonly play: FunctionRef;
  readonly limits: ScriptLimits;
  /** The account of the thread that runs the scripts; undefined when their memory is not counted. */
  readonly account?: MemoryAccount;
}

export function createLuaEngine(limits: Partial<ScriptLimits> = {}): LuaEngine {
  const module = compileLua();
  return { module, ...runPrelude(module), limits: { ...DEFAULT_LIMITS, ...limits } };
}

/** What messages and tracebacks call all of it: scripts should not know its files. */
const PRELUDE_NAME = "=[busbar]";

/**
 * Our files in order of their names, then those of the drivers. The first returns the functions `call`, `play` and
 * `set_play`. Each of the others receives `call`, `instant` and `set_play`, and after them what those before it returned.
 */
function runPrelude(module: WebAssembly.Module): Pick<LuaEngine, "image" | "play"> {
  const { state, instant } = createLuaState({
    module,
    memoryBytes: DEFAULT_LIMITS.memoryBytes,
    elapsed: undefined,
    instant(name) {
      throw new Error(`the prelude asks for ${name} before there is a device`);
    },
    isLenient: () => false,
  });
  const folder = new URL("./prelude/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".lua"));
  const own = names.sort().map((name) => readFileSync(new URL(name, folder), "latin1"));
  let shared: readonly FunctionRef[] = [];
  const returned: FunctionRef[] = [];
  for (const source of [...own, ...readPreludes()]) {
    const loaded = state.load(source, PRELUDE_NAME);
    if ("error" in loaded) throw new Error(loaded.error);
    const [call, , setPlay] = shared;
    const isFirst = call === undefined || setPlay === undefined;
    const args = isFirst ? [instant] : [call, instant, setPlay, ...returned];
    const results = state.callForFunctions(
      loaded.fn,
      args.map((fn) => ({ fn })),
    );
    if (isFirst) shared = results;
    else returned.push(...results);
  }
  const play = shared[1];
  if (play === undefined) throw new Error("the prelude has no play");
  return { image: state.image(), play };
}
