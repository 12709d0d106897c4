import { readdirSync, readFileSync } from "node:fs";
import { compileLua } from "./lua-wasm.ts";

export interface ScriptLimits {
  /** What one script may hold. */
  readonly memoryBytes: number;
  /** Time one activity may compute without a pause; the script is given up then. */
  readonly activityMs: number;
  /** The host's clock stands still while a script runs: slices and limits count instructions instead. */
  readonly isVirtualTime: boolean;
}

const DEFAULT_LIMITS: ScriptLimits = {
  memoryBytes: 16 * 1024 * 1024,
  activityMs: 10_000,
  isVirtualTime: false,
};

/** What all scripts of a thread share. Plain data and compiled code, so that threads can share it too. */
export interface LuaEngine {
  readonly module: WebAssembly.Module;
  readonly prelude: readonly PreludeFile[];
  readonly limits: ScriptLimits;
}

interface PreludeFile {
  readonly name: string;
  readonly source: string;
}

export function createLuaEngine(limits: Partial<ScriptLimits> = {}): LuaEngine {
  const folder = new URL("./prelude/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".lua"));
  const prelude = names.sort().map((name) => ({ name, source: readFileSync(new URL(name, folder), "latin1") }));
  return { module: compileLua(), prelude, limits: { ...DEFAULT_LIMITS, ...limits } };
}
