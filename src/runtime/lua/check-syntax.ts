import { textOf } from "#drivers/lua-value.ts";
import type { SyntaxCheck, SyntaxProblem } from "#service/blueprint/build-program.ts";
import { createLuaState, type LuaState } from "./lua-state.ts";
import { compileLua, StateGone } from "./lua-wasm.ts";

const MEMORY_BYTES = 64 * 1024 * 1024;

/**
 * Each call returns a check for the files of one program. The check reports what the interpreter itself rejects in a
 * text; the text is not run.
 */
export function createSyntaxChecks(): () => SyntaxCheck {
  let module: WebAssembly.Module | undefined;
  return () => {
    let state: LuaState | undefined;
    return (path, source) => {
      try {
        module ??= compileLua();
        state ??= createLuaState({
          module,
          memoryBytes: MEMORY_BYTES,
          elapsed: undefined,
          instant: () => [],
          isLenient: () => true,
        }).state;
        // As a script's file is read: without a byte order mark and a first line for other readers.
        const text = Buffer.from(source)
          .toString("latin1")
          .replace(/^(?:\xef\xbb\xbf)?(?:#[^\n]*)?/, "");
        const loaded = state.load(text, `@${path}`);
        return "error" in loaded ? problemOf(path, textOf(loaded.error)) : undefined;
      } catch (error) {
        if (!(error instanceof StateGone)) throw error;
        state = undefined;
        return { line: 1, message: `It cannot be read: ${error.message}.` };
      }
    };
  };
}

/** `path:12: unexpected symbol near 'x'` in words of ours. */
function problemOf(path: string, error: string): SyntaxProblem {
  const [, line, said] = /:(\d+): ([\s\S]*)$/.exec(error) ?? [];
  if (line === undefined) return { line: 1, message: `It is not valid Lua: ${error.replace(`${path}: `, "")}.` };
  return { line: Number(line), message: `It is not valid Lua: ${said}.` };
}
