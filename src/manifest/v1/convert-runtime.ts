import { isMap, isScalar, isSeq, type Pair, type YAMLMap } from "yaml";
import {
  type Conversion,
  keyOf,
  mapAt,
  note,
  removePair,
  renamePair,
  resolved,
  textAt,
  textOf,
  valueAt,
} from "./conversion.ts";
import { requirementsOf } from "./v1-words.ts";

type Options = Record<string, string | boolean | readonly string[]>;

/** The module's keys and those of its `lua`, in which a name may stand in either. */
const MODULE_KEYS = ["product", "lua_file", "lua", "dependencies"];
const LUA_KEYS = ["file", "dir", "rockspec", "amalg_mode", "dependencies", "allow_dev_dependencies"];

/** `communication_module` becomes `runtime`, where it stands. */
export function convertRuntime(conversion: Conversion, root: YAMLMap): void {
  if (root.has("runtime")) return;
  const found = findModule(conversion, root);
  if (found === undefined) {
    root.set("runtime", conversion.document.createNode({ type: "embedded" }));
    note(
      conversion,
      "decide",
      [],
      "It names no communication module. runtime is embedded: a device that speaks for itself.",
    );
    return;
  }
  const { pair, module, path } = found;
  const options = readOptions(conversion, module, path);
  const product = textAt(conversion, module, "product");
  const requirements = product === undefined ? undefined : requirementsOf(product);
  if (product !== undefined && requirements === undefined) {
    const message = `What the product ${product} offers is not known. List in runtime.requirements what the script needs.`;
    note(conversion, "decide", [...path, "product"], message);
  }
  const hasScript = options["file"] !== undefined || options["dir"] !== undefined;
  if (!hasScript) note(conversion, "decide", path, "It names no Lua file, so runtime has no script.");
  if (holdsComment(module)) note(conversion, "dropped", path, "Comments inside are not kept.");
  renamePair(pair, "runtime");
  pair.value = conversion.document.createNode({
    type: hasScript ? "lua" : "embedded",
    ...(hasScript ? { options } : {}),
    ...(requirements === undefined || requirements.length === 0 ? {} : { requirements }),
  });
}

interface FoundModule {
  readonly pair: Pair;
  readonly module: YAMLMap;
  readonly path: readonly string[];
}

function findModule(conversion: Conversion, root: YAMLMap): FoundModule | undefined {
  const pairOf = (key: string) => root.items.find((pair) => keyOf(pair) === key);
  const several = pairOf("communication_modules");
  const single = pairOf("communication_module");
  if (single !== undefined) {
    if (several !== undefined) {
      removePair(root, several);
      note(
        conversion,
        "dropped",
        ["communication_modules"],
        "device/3.0 has one runtime: that of communication_module.",
      );
    }
    const module = resolved(conversion, single.value);
    if (isMap(module)) return { pair: single, module, path: ["communication_module"] };
    removePair(root, single);
    return undefined;
  }
  const modules = several && resolved(conversion, several.value);
  if (several === undefined) return undefined;
  if (!isMap(modules)) {
    removePair(root, several);
    return undefined;
  }
  const names = modules.items.map(keyOf);
  const name = names.find((one) => holdsScript(conversion, modules, one)) ?? names[0];
  const module = name === undefined ? undefined : mapAt(conversion, modules, name);
  if (name === undefined || module === undefined) {
    removePair(root, several);
    return undefined;
  }
  const others = names.filter((one) => one !== name);
  note(
    conversion,
    others.length > 0 ? "decide" : "changed",
    ["communication_modules"],
    others.length > 0
      ? `device/3.0 has one runtime: that of ${name}. Make blueprints of their own for ${others.join(", ")}.`
      : `The only module, ${name}, is the runtime.`,
  );
  return { pair: several, module, path: ["communication_modules", name] };
}

function holdsScript(conversion: Conversion, modules: YAMLMap, name: string): boolean {
  const module = mapAt(conversion, modules, name);
  return module?.has("lua") === true || module?.has("lua_file") === true;
}

function readOptions(conversion: Conversion, module: YAMLMap, path: readonly string[]): Options {
  const lua = mapAt(conversion, module, "lua");
  const options: Options = {};
  const text = (key: string) => (lua && textAt(conversion, lua, key)) ?? undefined;
  const file = textAt(conversion, module, "lua_file") ?? text("file") ?? textAt(conversion, module, "lua");
  const dir = text("dir");
  // With both, a folder wins in 1.0 packages that moved from one form to the other.
  if (dir !== undefined) options["dir"] = dir;
  else if (file !== undefined) options["file"] = file;
  if (dir !== undefined && file !== undefined) {
    note(conversion, "decide", path, `It names the file ${file} and the folder ${dir}; the folder is taken.`);
  }
  const rockspec = text("rockspec");
  const luarocks = [...listAt(conversion, lua, "dependencies"), ...listAt(conversion, module, "dependencies")];
  if (rockspec !== undefined) options["rockspec"] = rockspec;
  else if (luarocks.length > 0) options["luarocks"] = luarocks;
  if (rockspec !== undefined && luarocks.length > 0) {
    const message = `A rockspec and dependencies exclude each other. Add to ${rockspec}: ${luarocks.join(", ")}.`;
    note(conversion, "decide", [...path, "lua", "dependencies"], message);
  }
  const isDevelopmentAllowed = lua && textAt(conversion, lua, "allow_dev_dependencies");
  if (isDevelopmentAllowed?.toLowerCase() === "true") options["allow_dev_luarocks"] = true;
  const modes = listAt(conversion, lua, "amalg_mode");
  if (modes.length > 0) options["amalg_mode"] = modes;
  noteOthers(conversion, module, { path, known: MODULE_KEYS });
  if (lua !== undefined) noteOthers(conversion, lua, { path: [...path, "lua"], known: LUA_KEYS });
  return options;
}

function listAt(conversion: Conversion, map: YAMLMap | undefined, key: string): readonly string[] {
  const value = map && valueAt(conversion, map, key);
  if (isScalar(value))
    return textOf(value)
      .split(/\s*;\s*/)
      .filter((one) => one !== "");
  if (!isSeq(value)) return [];
  return value.items.flatMap((item) => {
    const one = resolved(conversion, item);
    return isScalar(one) ? [textOf(one)] : [];
  });
}

function noteOthers(
  conversion: Conversion,
  map: YAMLMap,
  { path, known }: { readonly path: readonly string[]; readonly known: readonly string[] },
): void {
  for (const pair of map.items) {
    const key = keyOf(pair);
    if (known.includes(key) || key.startsWith(".")) continue;
    const isPreprocessor = key === "telemetry_preprocessor";
    const message = isPreprocessor
      ? "device/3.0 has no preprocessor of telemetry. Let the script send what the manifest declares."
      : `device/3.0 has no ${key} of a runtime.`;
    note(conversion, isPreprocessor ? "decide" : "dropped", [...path, key], message);
  }
}

function holdsComment(map: YAMLMap): boolean {
  return map.items.some(({ key, value }) =>
    [key, value].some((node) => {
      if (typeof node !== "object" || node === null) return false;
      const { comment, commentBefore } = node as { comment?: string | null; commentBefore?: string | null };
      return Boolean(comment) || Boolean(commentBefore) || (isMap(node) && holdsComment(node));
    }),
  );
}
