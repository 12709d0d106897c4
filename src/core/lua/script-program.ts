/** What a package makes of its Lua files and rocks; plain data, so that it passes to a thread. */
export interface ScriptProgram {
  /** Path of the chunk that runs first, a key of `modules`. */
  readonly entry: string;
  /** Path (`main.lua`, `lib/x.lua`, a rock's `inspect.lua`) to source. `require("a.b")` is `a/b.lua` or `a/b/init.lua`. */
  readonly modules: ReadonlyMap<string, Uint8Array | string>;
  /** Error texts carry no file and line. */
  readonly nodebug: boolean;
}

/** Where `require(name)` looks among the modules of a program, in this order. */
export function moduleCandidates(name: string): readonly string[] {
  const stripped = name.replace(/^(?:\.\/)+/, "");
  const path = stripped.replaceAll(".", "/");
  return [...new Set([`${path}.lua`, `${path}/init.lua`, `${stripped}.lua`, stripped])];
}
