/** The program that a package's Lua files and rocks form; plain data, so that it can be sent to a thread. */
export interface ScriptProgram {
  /** Path of the chunk that runs first, a key of `modules`. */
  readonly entry: string;
  /** Path (`main.lua`, `lib/x.lua`, a rock's `inspect.lua`) to source. */
  readonly modules: ReadonlyMap<string, Uint8Array | string>;
  /** Why something that is required is not among the modules, by name. Of rules. */
  readonly missing?: ReadonlyMap<string, string>;
  /** Error texts carry no file and line. */
  readonly nodebug: boolean;
  /** The host that the script was written for: that of device/1.0 or of rules, otherwise that of device/3.0. */
  readonly host?: "v1" | "rule";
}
