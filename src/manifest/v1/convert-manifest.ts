import { isMap, type Pair, parseDocument, type YAMLMap } from "yaml";
import { applyFixes } from "#core/blueprint/apply-fixes.ts";
import type { IssueCode } from "#core/blueprint/issue.ts";
import { MANIFEST, OLD_SPEC } from "#core/blueprint/schema.ts";
import { CATEGORIES } from "#core/blueprint/vocabulary.ts";
import { titleOf } from "#manifest/edits.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { readDocument } from "#manifest/read-document.ts";
import { createReporter } from "#manifest/reporter.ts";
import {
  type Conversion,
  type ConversionNote,
  keyOf,
  mapAt,
  note,
  removePair,
  renamePair,
  resolved,
  textAt,
} from "./conversion.ts";
import { convertRuntime } from "./convert-runtime.ts";
import { type Fitting, fitShape } from "./fit-shape.ts";
import { prepareItem } from "./prepare-item.ts";
import { CATEGORY_CHOICES, CATEGORY_OF } from "./v1-words.ts";

export interface ConvertedManifest {
  /** The manifest as device/3.0; undefined when the text is no manifest of device/1.0. */
  readonly text: string | undefined;
  readonly notes: readonly ConversionNote[];
  /** It is of device/3.0 already. */
  readonly isConverted?: boolean;
}

/** Pure, and never throws. Comments stay with the keys that they stand at. */
export function convertManifest(text: string): ConvertedManifest {
  const reporter = createReporter(text);
  const tree = readDocument(reporter);
  const refuse = (message: string) => ({ text: undefined, notes: [{ kind: "decide" as const, path: "", message }] });
  const problem = reporter.issues().find(({ severity }) => severity === "error");
  if (tree === undefined || problem !== undefined) {
    const { line } = problem?.range.start ?? { line: 1 };
    return refuse(`The manifest cannot be read. Line ${line}: ${problem?.message ?? "it is no document."}`);
  }
  const document = parseDocument(text, { logLevel: "silent", prettyErrors: false });
  const root = document.contents;
  if (document.errors[0] !== undefined) return refuse(`The manifest cannot be read: ${document.errors[0].message}`);
  if (!isMap(root)) return refuse("The manifest is no object.");
  const conversion: Conversion = { document, notes: [], units: new Set() };
  const spec = textAt(conversion, root, "blueprint_spec");
  if (spec !== OLD_SPEC) {
    return {
      ...refuse(`Its blueprint_spec is ${spec ?? "missing"}, not ${OLD_SPEC}.`),
      isConverted: spec === "device/3.0",
    };
  }
  try {
    convertRoot(conversion, root);
    return finish(conversion, document.toString({ lineWidth: 0, flowCollectionPadding: false }));
  } catch (error) {
    // The library refuses to write an alias whose anchor is not there, or is no longer.
    const why = error instanceof Error ? error.message : String(error);
    return refuse(`The manifest cannot be written anew: ${why}. Write out what its anchors and aliases share.`);
  }
}

function convertRoot(conversion: Conversion, root: YAMLMap): void {
  root.set("blueprint_spec", "device/3.0");
  convertRuntime(conversion, root);
  keepUnknown(conversion, root);
  liftCategory(conversion, root);
  const fitting: Fitting = { conversion, prepare: prepareItem, done: new Set() };
  for (const pair of [...root.items]) {
    const key = keyOf(pair);
    const field = MANIFEST.byName.get(key);
    if (field === undefined || key === "runtime") continue;
    if (!fitShape(fitting, field.shape, pair, [key])) removePair(root, pair);
  }
  declareGroups(conversion, root);
  checkPopulate(conversion, root);
  declareUnits(conversion, root);
  root.set(".busbar", conversion.document.createNode({ lua_host: "v1" }, { flow: true }));
}

/** Keys of the root that device/3.0 does not have are kept as dot-keys, which carry no meaning. */
function keepUnknown(conversion: Conversion, root: YAMLMap): void {
  for (const pair of [...root.items]) {
    const key = keyOf(pair);
    if (MANIFEST.byName.has(key) || key.startsWith(".") || key === "<<") continue;
    if (key === "virtual_commands" || key === "telemetry_preprocessor") {
      removePair(root, pair);
      note(conversion, "decide", [key], `device/3.0 has no ${key}. The script has to do it.`);
    } else {
      renamePair(pair, `.${key.replaceAll(/\W/g, "_")}`);
      note(
        conversion,
        "changed",
        [key],
        `device/3.0 has no ${key}; it is kept as ${keyOf(pair)}, which has no meaning.`,
      );
    }
  }
}

function liftCategory(conversion: Conversion, root: YAMLMap): void {
  const cloud = mapAt(conversion, root, ".cloud");
  const inCloud = cloud && textAt(conversion, cloud, "category");
  const given = textAt(conversion, root, "category") ?? inCloud;
  const path = root.has("category") ? ["category"] : [".cloud", "category"];
  if (given === undefined) {
    note(conversion, "decide", [], "It has no category. Choose one if the device is to be found by it.");
    return;
  }
  const dashed = given.toLowerCase().replaceAll("_", "-");
  const category = CATEGORIES.find((one) => one === dashed) ?? CATEGORY_OF.get(given);
  if (category === undefined) {
    root.delete("category");
    const choices = CATEGORY_CHOICES.get(given) ?? CATEGORIES.join(", ");
    note(conversion, "decide", path, `The category ${given} has no single form in device/3.0. Choose: ${choices}.`);
    return;
  }
  if (root.has("category")) root.set("category", category);
  else insertAfter(conversion, root, "category", category);
  if (category !== given) note(conversion, "changed", path, `${given} is ${category}.`);
}

/** Behind the name and the description of the blueprint. */
function insertAfter({ document }: Conversion, root: YAMLMap, key: string, value: string): void {
  const at = root.items.findLastIndex((pair) => ["display_name", "description", "icon"].includes(keyOf(pair)));
  root.items.splice(
    at + 1,
    0,
    document.createPair(key, value) as Pair<unknown, unknown> as (typeof root.items)[number],
  );
}

/** Every command of device/3.0 is in a declared group. */
function declareGroups(conversion: Conversion, root: YAMLMap): void {
  const commands = mapAt(conversion, root, "commands");
  const groups = mapAt(conversion, root, "command_groups");
  const declared = new Set(groups?.items.map(keyOf));
  const missing = new Set<string>();
  for (const pair of commands?.items ?? []) {
    const command = resolved(conversion, pair.value);
    if (!isMap(command)) continue;
    const given = textAt(conversion, command, "group");
    const group = given ?? "commands";
    if (given === undefined) command.set("group", group);
    if (!declared.has(group)) missing.add(group);
  }
  for (const group of missing) {
    addEntry(conversion, root, { section: "command_groups", key: group, value: { display_name: titleOf(group) } });
    note(conversion, "changed", ["command_groups", group], `The group ${group} is declared.`);
  }
}

function checkPopulate(conversion: Conversion, root: YAMLMap): void {
  const commands = mapAt(conversion, root, "commands");
  for (const pair of commands?.items ?? []) {
    const command = resolved(conversion, pair.value);
    if (!isMap(command)) continue;
    const name = textAt(conversion, command, "populate_values_command");
    if (name === undefined || commands?.has(name)) continue;
    command.delete("populate_values_command");
    const message = `populate_values_command names ${name}, which is no command.`;
    note(conversion, "dropped", ["commands", keyOf(pair), "populate_values_command"], message);
  }
}

function declareUnits(conversion: Conversion, root: YAMLMap): void {
  const declared = mapAt(conversion, root, "units");
  for (const unit of conversion.units) {
    if (declared?.has(unit)) continue;
    addEntry(conversion, root, { section: "units", key: unit, value: { symbol: unit } });
    note(conversion, "changed", ["units", unit], `The unit ${unit} is declared.`);
  }
}

interface NewEntry {
  readonly section: string;
  readonly key: string;
  readonly value: Readonly<Record<string, string>>;
}

function addEntry(conversion: Conversion, root: YAMLMap, { section, key, value }: NewEntry): void {
  const existing = mapAt(conversion, root, section);
  if (existing !== undefined) existing.set(key, conversion.document.createNode(value));
  else root.set(section, conversion.document.createNode(new Map([[key, value]])));
}

/** Values that are only written as another type, such as the default "false", are written as their own. */
const SAFE_FIXES: readonly IssueCode[] = ["default_converted", "enum_value_converted"];

function finish({ notes }: Conversion, converted: string): ConvertedManifest {
  const { text } = applyFixes(converted, (now) =>
    parseManifest(now).issues.map((issue) => (SAFE_FIXES.includes(issue.code) ? issue : {})),
  );
  const left = parseManifest(text).issues.filter(({ severity }) => severity === "error");
  const open = left.map(({ path, message }): ConversionNote => ({ kind: "decide", path, message }));
  return { text, notes: [...notes, ...open] };
}
