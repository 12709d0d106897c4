// What all files of a program do with names, gathered before anything is judged: a name that one file uses, another may
// define.
import type { LuaBlock, LuaChain, LuaLocal, LuaName } from "#core/lua/lua-syntax.ts";
import { type LuaPlace, type LuaRole, type LuaValueSource, walkLua } from "#core/lua/walk-lua.ts";

export interface ParsedFile {
  readonly path: string;
  readonly chunk: LuaBlock;
  /** Of the package; otherwise of a rock, which is read only for what it defines. */
  readonly isOwn: boolean;
}

/** A local variable, or a global by its name. */
export type LuaVariable = LuaLocal | string;

export interface GlobalUse {
  readonly name: LuaName;
  readonly file: ParsedFile;
  readonly place: LuaPlace;
  readonly role: LuaRole | "write";
}

/** One of the values that a variable gets. */
type VariableSource = (LuaValueSource & { readonly path: string }) | "unknown";

export interface LintFacts {
  readonly sources: ReadonlyMap<LuaVariable, readonly VariableSource[]>;
  /** By name, each in the order of evaluation. */
  readonly globals: ReadonlyMap<string, readonly GlobalUse[]>;
  /** Fields that get a value: `a.b = 1`. */
  readonly writtenFields: readonly { readonly chain: LuaChain; readonly path: string }[];
  readonly locals: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names may come and go in ways that cannot be seen: `_ENV`, `load`, or `_G` in other uses than `_G.name`. */
  readonly isDynamic: boolean;
}

/** Functions that run text. */
const RUNS_TEXT: ReadonlySet<string> = new Set(["_ENV", "load", "loadstring", "dofile", "setfenv"]);

export function gatherFacts(files: readonly ParsedFile[]): LintFacts {
  const sources = new Map<LuaVariable, VariableSource[]>();
  const globals = new Map<string, GlobalUse[]>();
  const writtenFields: { chain: LuaChain; path: string }[] = [];
  const locals = new Map<string, Set<string>>();
  let isDynamic = false;

  for (const file of files) {
    const { path } = file;
    const names = new Set<string>();
    locals.set(path, names);
    const addSource = (variable: LuaVariable, source: LuaValueSource | "unknown" | undefined): void => {
      // Nil says nothing about what the variable holds at other times.
      if (source === undefined || (source !== "unknown" && source.expression.kind === "nil")) return;
      listOf(sources, variable).push(source === "unknown" ? source : { ...source, path });
    };
    const addUse = (use: Omit<GlobalUse, "file">): void => void listOf(globals, use.name.name).push({ ...use, file });
    walkLua(file.chunk, {
      name(name, role, place) {
        if (name.name === "_ENV" || (name.local === undefined && RUNS_TEXT.has(name.name))) isDynamic = true;
        if (name.local === undefined && name.name !== "_G") addUse({ name, role, place });
        // With a field behind it, it is judged as a chain.
        if (name.local === undefined && name.name === "_G" && role !== "head") isDynamic = true;
      },
      chain(chain, _, place) {
        const field = globalField(chain);
        if (field === "any") isDynamic = true;
        // Who asks `_G` for a name expects that it may be missing.
        else if (field !== undefined) addUse({ name: field, role: "test", place });
      },
      write(target, source, place) {
        if (target.kind === "name") {
          if (target.name === "_ENV") isDynamic = true;
          addSource(target.local ?? target.name, source ?? undefined);
          if (target.local === undefined) addUse({ name: target, role: "write", place });
          return;
        }
        writtenFields.push({ chain: target, path });
        const field = globalField(target);
        if (field === "any") isDynamic = true;
        else if (field !== undefined)
          addUse({ name: field, role: target.steps.length === 1 ? "write" : "head", place });
        if (field !== undefined && field !== "any") addSource(field.name, "unknown");
      },
      declare(local, source) {
        names.add(local.name);
        if (local.name === "_ENV") isDynamic = true;
        addSource(local, source);
      },
    });
  }
  return { sources, globals, writtenFields, locals, isDynamic };
}

/** `_G.name` as the global that it is; "any" for `_G[x]`. */
function globalField({ head, steps }: LuaChain): LuaName | "any" | undefined {
  if (head.kind !== "name" || head.local !== undefined || head.name !== "_G") return undefined;
  const [first] = steps;
  if (first?.kind !== "field") return "any";
  return { kind: "name", name: first.name, local: undefined, at: first.at, end: first.end };
}

function listOf<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
