import type { HostApi } from "#core/lua/host/create-host-api.ts";
import type { LuaPlace } from "#core/lua/walk-lua.ts";
import type { GlobalUse, LintFacts } from "./lint-facts.ts";
import type { LintReport } from "./lint-report.ts";

/** What scripts of other hosts use, and what stands in for it. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["io", "A script has no files; storage keeps texts."],
  ["debug", "A script has no debugger."],
  ["dofile", "Use require."],
  ["loadfile", "Use require."],
  ["loadstring", "Use load."],
  ["unpack", "Use table.unpack."],
  ["setfenv", "Lua 5.3 has _ENV."],
  ["getfenv", "Lua 5.3 has _ENV."],
  ["module", "Return a table, and use require."],
  ["bit32", "Lua 5.3 has operators: & | ~ << >>."],
  ["bit", "Lua 5.3 has operators: & | ~ << >>."],
]);

interface GlobalsNeeds {
  readonly api: HostApi;
  readonly facts: LintFacts;
  readonly report: LintReport;
  /** Every module that the program may load is known. Otherwise only names that look misspelt are reported. */
  readonly isComplete: boolean;
}

/** Names that nothing defines, and variables that were meant to be local. */
export function checkGlobals(needs: GlobalsNeeds): void {
  const { api, facts } = needs;
  if (facts.isDynamic) return;
  for (const [name, uses] of facts.globals) {
    if (api.globals.has(name)) continue;
    const writes = uses.filter(({ role }) => role === "write");
    if (writes.length === 0) reportUndefined(needs, name, uses);
    else reportAccidental(needs, name, uses);
  }
}

/** A name that a script tests somewhere may be missing. */
function reportUndefined(needs: GlobalsNeeds, name: string, uses: readonly GlobalUse[]): void {
  const { report, isComplete } = needs;
  if (uses.some(({ role }) => role === "test")) return;
  const seen = new Set<string>();
  for (const { file, name: place } of uses) {
    if (!file.isOwn || seen.has(file.path)) continue;
    seen.add(file.path);
    const nearest = report.nearest(name, knownNames(needs, file.path));
    const instead = INSTEAD.get(name);
    if (!isComplete && nearest === undefined && instead === undefined) continue;
    const hint = instead ?? (nearest === undefined ? "" : `Did you mean ${nearest}?`);
    report.add("lua_undefined_global", file.path, place, `Nothing defines the global ${name}. ${hint}`.trim());
  }
}

function* knownNames({ api, facts }: GlobalsNeeds, path: string): Iterable<string> {
  yield* api.globals.keys();
  yield* facts.locals.get(path) ?? [];
  for (const [name, uses] of facts.globals) if (uses.some(({ role }) => role === "write")) yield name;
}

/** Certain only where `local` before the first value would change nothing: all other uses come later, in its block. */
function reportAccidental({ report }: GlobalsNeeds, name: string, uses: readonly GlobalUse[]): void {
  const [first] = uses;
  if (first?.role !== "write" || first.place.functions === 0 || !first.file.isOwn || name.startsWith("_")) return;
  if (!uses.every(({ file, place }) => file === first.file && isWithin(place, first.place))) return;
  const message = `${name} is a global variable, but only this function uses it. Write local before its first value.`;
  report.add("lua_accidental_global", first.file.path, first.name, message);
}

function isWithin(place: LuaPlace | undefined, outer: LuaPlace): boolean {
  for (let at = place; at !== undefined; at = at.parent) if (at === outer) return true;
  return false;
}
