import type { Range } from "./issue.ts";

const error = (summary: string) => ({ severity: "error", summary }) as const;
const warning = (summary: string) => ({ severity: "warning", summary }) as const;

/** What can be wrong with the scripts of a package, once its manifest is in order. Codes are stable. */
export const SCRIPT_ISSUE_CODES = {
  lua_syntax: error("A file that is not valid Lua, or is compiled Lua."),
  lua_module_missing: warning(
    "A required module that is neither in the package nor in a rock. Running that line fails.",
  ),
  lua_dynamic_require: warning("A require whose module is known only when it runs."),
  lua_undefined_global: warning("A global name that nothing defines."),
  lua_accidental_global: warning("A global variable that only one function uses: `local` is missing."),
  lua_unknown_field: warning("A field that a table or an object of the host does not have."),
  lua_wrong_call: warning("A call of the host with too few or too many arguments, or with a dot in place of a colon."),
  lua_undeclared_name: warning("A command, attribute, property or bucket that the manifest does not declare."),
  lua_unknown_name: warning(
    "A device, attribute, command, control, alert or variable that the site of a rule does not have.",
  ),
  lua_too_many_issues: warning("More findings in the scripts than are listed."),
  rock_dependency: error("A dependency that cannot be read."),
  rock_missing: error("A rock that is not in the operator's folder in a version that fits."),
  rock_development: error("Only a development version fits, and allow_dev_luarocks is not set."),
  rock_unusable: error("A rock that is damaged, made for another Lua, or not written in Lua."),
  rockspec_invalid: error("A rockspec that fails when it is run, or does not say what it must."),
  modbus_map: error("A register map that cannot be read, or does not fit the manifest."),
  modbus_map_gap: warning("Something in the manifest that the register map leaves out, in a package without a script."),
} as const;

export type ScriptIssueCode = keyof typeof SCRIPT_ISSUE_CODES;

/** Has the shape of an `Issue`, so that all are shown and sent in one list. */
export interface ScriptIssue {
  readonly code: ScriptIssueCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The file's path inside the package, or a JSON pointer into the manifest. */
  readonly path: string;
  readonly range: Range;
}

interface ScriptFinding {
  readonly code: ScriptIssueCode;
  readonly path: string;
  readonly message: string;
}

/** An issue about a line of a file. */
export function scriptIssue(finding: ScriptFinding, line = 1): ScriptIssue {
  const place = { line, column: 1 };
  return scriptIssueAt(finding, { start: place, end: place });
}

export function scriptIssueAt({ code, path, message }: ScriptFinding, range: Range): ScriptIssue {
  return { code, severity: SCRIPT_ISSUE_CODES[code].severity, message, path, range };
}
