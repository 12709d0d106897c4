// The key `.busbar` at the root of a manifest: what Busbar knows beyond the manifest language. Other readers pass over
// keys with a dot, so nothing here may be needed to understand the rest.
import { ALERT_LISTS, type AlertLists, LUA_HOSTS, type LuaHostVersion } from "#core/blueprint/blueprint.ts";
import type { DeclaredControl } from "#core/control/declared-control.ts";
import { checkControls, type Surroundings } from "./control/check-controls.ts";
import { controls, MOST_CONTROLS } from "./control/control-language.ts";
import { readCancels } from "./control/read-cancels.ts";
import type { PackageFiles } from "./manifest-context.ts";
import { packagePath } from "./package-path.ts";
import { positionFinder, type Reporter } from "./reporter.ts";
import { entryTrail, type Trail } from "./tree.ts";
import { choices, quote } from "./words.ts";

export interface ManifestExtension {
  readonly alertLists: AlertLists;
  readonly luaHost: LuaHostVersion;
  readonly modbusMap: string | undefined;
  readonly controls: ReadonlyMap<string, DeclaredControl>;
  /** By the id of a command, the id of the command that cancels it. */
  readonly cancels: ReadonlyMap<string, string>;
}

/** The words of each option; the first one counts where nothing is said. */
const OPTIONS = new Map<string, readonly string[]>([
  ["alerts", ALERT_LISTS],
  ["lua_host", LUA_HOSTS],
]);

/** The option that names a register map. */
const MAP_OPTION = "modbus";
const CONTROLS_OPTION = "controls";

/** Whether the manifest names a register map. */
export function namesMap({ node }: Trail): boolean {
  const extension = node.kind === "map" ? node.extension?.value : undefined;
  return extension?.kind === "map" && extension.entries.has(MAP_OPTION);
}

export interface ExtensionPlace {
  readonly reporter: Reporter;
  readonly root: Trail;
  readonly around: Surroundings;
}

/**
 * What cannot be read is a warning, and the default counts: a manifest without the key is complete. A register map that
 * is not there is an error, because the device would do nothing. So is a wrong control, because it would move the device.
 */
export function readExtension(place: ExtensionPlace, files: PackageFiles | undefined): ManifestExtension {
  const given = readOptions(place, files);
  const find = <Word extends string>(words: readonly [Word, ...Word[]], option: string): Word =>
    words.find((word) => word === given.get(option)) ?? words[0];
  return {
    alertLists: find(ALERT_LISTS, "alerts"),
    luaHost: find(LUA_HOSTS, "lua_host"),
    modbusMap: given.get(MAP_OPTION),
    controls: readControls(place),
    cancels: readCancels(place),
  };
}

/** The controls of a manifest or a profile. */
export function readControls({ reporter, root, around }: ExtensionPlace): ReadonlyMap<string, DeclaredControl> {
  const extension = root.node.kind === "map" ? root.node.extension : undefined;
  const entry = extension?.value.kind === "map" ? extension.value.entries.get(CONTROLS_OPTION) : undefined;
  if (extension === undefined || entry === undefined) return new Map();
  const trail = entryTrail(entryTrail(root, extension), entry);
  if (entry.value.kind === "map" && entry.value.entries.size > MOST_CONTROLS) {
    reporter.atKey(trail, { code: "bad_control", message: `There are at most ${MOST_CONTROLS} controls.` });
    return new Map();
  }
  const read = controls.read({ reporter, positionOf: positionFinder(reporter.text) }, trail) ?? new Map();
  checkControls({ reporter, trail, around }, read);
  return read;
}

function readOptions({ reporter, root }: ExtensionPlace, files: PackageFiles | undefined): ReadonlyMap<string, string> {
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
    if (option.key === MAP_OPTION) {
      checkMapFile(reporter, inner, files);
      given.set(option.key, text);
    } else if (option.key === CONTROLS_OPTION) continue;
    else if (known === undefined) {
      const { words } = choices(reporter, option.key, [...OPTIONS.keys(), MAP_OPTION, CONTROLS_OPTION]);
      reporter.atKey(inner, { code: "bad_extension", message: `.busbar has no key ${quote(option.key)}. ${words}` });
    } else if (known.includes(text)) given.set(option.key, text);
    else {
      const { words } = choices(reporter, text, known);
      reporter.atValue(inner, { code: "bad_extension", message: `${option.key} cannot be ${quote(text)}. ${words}` });
    }
  }
  return given;
}

function checkMapFile(reporter: Reporter, trail: Trail, files: PackageFiles | undefined): void {
  const text = trail.node.kind === "scalar" ? trail.node.text : "";
  const path = packagePath(text);
  if (text === "")
    reporter.atKey(trail, { code: "bad_extension", message: "modbus must name a file, such as modbus.yml." });
  else if (path === undefined)
    reporter.atValue(trail, { code: "file_outside", message: `${quote(text)} lies outside the package.` });
  else if (files !== undefined && !files.has(path))
    reporter.atValue(trail, { code: "missing_file", message: `The package has no file ${quote(path)}.` });
}
