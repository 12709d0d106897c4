import { jsonSchemaProblem } from "./json-schema-problem.ts";
import { type Checked, type Path, reportAt } from "./manifest-rules.ts";
import { packagePath } from "./package-path.ts";
import { namesMap } from "./read-extension.ts";
import { follow } from "./tree.ts";
import { quote } from "./words.ts";

/** Rules about the runtime's options and about files that the manifest names. */
export function checkFiles(checked: Checked): void {
  checkRuntime(checked);
  for (const { path, text } of jsonSchemasOf(checked)) checkJsonSchema(checked, path, text);
}

function checkRuntime(checked: Checked): void {
  const { runtime } = checked.draft;
  const options = runtime?.options;
  const path = ["runtime", "options"];
  if (options?.dir !== undefined && options.file !== undefined) reportConflict(checked, "file", "dir");
  if (options?.rockspec !== undefined && options.luarocks !== undefined)
    reportConflict(checked, "luarocks", "rockspec");
  if (runtime?.type === "lua" && !hasScript(checked)) {
    const message = "The lua runtime has no script. Name one with options.file, or a directory with options.dir.";
    checked.reporter.atKey(follow(checked.root, ["runtime"]), { code: "missing_script", message });
  }
  if (options?.file !== undefined) checkFile(checked, [...path, "file"], options.file);
  if (options?.rockspec !== undefined) checkFile(checked, [...path, "rockspec"], options.rockspec);
  if (options?.dir !== undefined) checkFile(checked, [...path, "dir"], `${options.dir}/main.lua`);
}

/** Also true where a broken or misspelt key may hold it, which is reported anyway. A register map needs no script. */
function hasScript({ root }: Checked): boolean {
  if (namesMap(root)) return true;
  const { node: runtime } = follow(root, ["runtime"]);
  if (runtime.kind !== "map") return true;
  const options = runtime.entries.get("options")?.value;
  if (options === undefined) return [...runtime.entries.keys()].some((key) => key !== "type" && key !== "requirements");
  return options.kind !== "map" || options.entries.has("file") || options.entries.has("dir");
}

function reportConflict(checked: Checked, key: string, other: string): void {
  const message = `${key} cannot be used together with ${other}. Remove one of them.`;
  checked.reporter.atKey(follow(checked.root, ["runtime", "options", key]), { code: "conflicting_keys", message });
}

/** The path inside the package when the file is there, or when there is no package to ask. */
function checkFile(checked: Checked, at: Path, name: string): string | undefined {
  const { files } = checked.context;
  if (files === undefined) return undefined;
  const path = packagePath(name);
  if (path === undefined) {
    const message = `${quote(name)} lies outside the package. Use a path relative to the manifest.`;
    reportAt(checked, at, { code: "file_outside", message });
    return undefined;
  }
  if (files.has(path)) return path;
  reportAt(checked, at, { code: "missing_file", message: `The package has no file ${quote(path)}.` });
  return undefined;
}

function* jsonSchemasOf({ draft }: Checked): Iterable<{ path: Path; text: string }> {
  for (const [id, { jsonSchema: text }] of draft.properties ?? []) {
    if (text !== undefined) yield { path: ["properties", id, "json_schema"], text };
  }
  for (const [id, command] of draft.commands ?? []) {
    for (const section of ["arguments", "response"] as const) {
      for (const [name, { jsonSchema: text }] of command[section] ?? []) {
        if (text !== undefined) yield { path: ["commands", id, section, name, "json_schema"], text };
      }
    }
  }
}

function checkJsonSchema(checked: Checked, at: Path, text: string): void {
  if (isInlineSchema(text)) {
    reportSchemaProblem(checked, at, { text, what: "json_schema is no JSON schema" });
    return;
  }
  const path = checkFile(checked, at, text);
  const contents = path === undefined ? undefined : checked.context.files?.read(path);
  if (contents !== undefined) {
    reportSchemaProblem(checked, at, { text: contents, what: `The file ${quote(text)} holds no JSON schema` });
  }
}

/** A schema is an object, so its text begins with a brace; no file name does. */
export function isInlineSchema(text: string): boolean {
  return text.trimStart().startsWith("{");
}

function reportSchemaProblem(checked: Checked, at: Path, { text, what }: { text: string; what: string }): void {
  const problem = jsonSchemaProblem(text);
  if (problem !== undefined) reportAt(checked, at, { code: "bad_json_schema", message: `${what}: ${problem}.` });
}
