// The key `.busbar` at the root of a manifest: what Busbar knows beyond the manifest language. Other readers pass over
// keys with a dot, so nothing here may be needed to understand the rest.
import { ALERT_LISTS, type AlertLists, LUA_HOSTS, type LuaHostVersion } from "#core/blueprint/blueprint.ts";
import type { Reporter } from "./reporter.ts";
import { entryTrail, type Trail } from "./tree.ts";
import { choices, quote } from "./words.ts";

export interface ManifestExtension {
  readonly alertLists: AlertLists;
  readonly luaHost: LuaHostVersion;
}

/** The words of each option; the first one counts where nothing is said. */
const OPTIONS = new Map<string, readonly string[]>([
  ["alerts", ALERT_LISTS],
  ["lua_host", LUA_HOSTS],
]);

/** What cannot be read is a warning, and the default counts: a manifest without the key is complete. */
export function readExtension(reporter: Reporter, root: Trail): ManifestExtension {
  const given = readOptions(reporter, root);
  const find = <Word extends string>(words: readonly [Word, ...Word[]], option: string): Word =>
    words.find((word) => word === given.get(option)) ?? words[0];
  return { alertLists: find(ALERT_LISTS, "alerts"), luaHost: find(LUA_HOSTS, "lua_host") };
}

function readOptions(reporter: Reporter, root: Trail): ReadonlyMap<string, string> {
  const entry = root.node.kind === "map" ? root.node.extension : undefined;
  const given = new Map<string, string>();
  if (entry === undefined) return given;
  const trail = entryTrail(root, entry);
  const { node } = trail;
  if (node.kind !== "map") {
    const message = ".busbar must be an object, such as {alerts: on_change}.";
    reporter.atKey(trail, { code: "bad_extension", message });
    return given;
  }
  for (const option of node.entries.values()) {
    const inner = entryTrail(trail, option);
    const known = OPTIONS.get(option.key);
    const text = inner.node.kind === "scalar" ? inner.node.text : "";
    if (known === undefined) {
      const { words } = choices(reporter, option.key, [...OPTIONS.keys()]);
      reporter.atKey(inner, { code: "bad_extension", message: `.busbar has no key ${quote(option.key)}. ${words}` });
    } else if (known.includes(text)) given.set(option.key, text);
    else {
      const { words } = choices(reporter, text, known);
      reporter.atValue(inner, { code: "bad_extension", message: `${option.key} cannot be ${quote(text)}. ${words}` });
    }
  }
  return given;
}
