// Finds mistakes in a program's Lua that running it would show, if ever: names that nothing defines, fields and calls that
// the host does not have. It reports only what is certain: a warning that is wrong teaches people to ignore warnings.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { ScriptIssue } from "#core/blueprint/script-issue.ts";
import { createRuleApi, type HostApi, type HostVersion } from "#core/lua/host/create-host-api.ts";
import type { LuaChain } from "#core/lua/lua-syntax.ts";
import { parseLua } from "#core/lua/parse-lua.ts";
import { scanRequires } from "#core/lua/scan-requires.ts";
import { walkLua } from "#core/lua/walk-lua.ts";
import { isRuleLibrary, type RuleModules, requiredNames } from "#core/rule/rule-modules.ts";
import type { RuleSite } from "#core/rule/rule-site.ts";
import { checkCall, checkManifestNames, reportUnknownField } from "./check-calls.ts";
import { checkGlobals } from "./check-globals.ts";
import { checkModules } from "./check-modules.ts";
import { checkSiteNames } from "./check-site-names.ts";
import { createHostTypes, type HostCall } from "./host-types.ts";
import { gatherFacts, type LintFacts, type ParsedFile } from "./lint-facts.ts";
import { createLintReport, type LintReport } from "./lint-report.ts";

export interface LintInput {
  readonly files: readonly LintFile[];
  readonly blueprint: Blueprint;
  /** Every module that the program may load is among the files. */
  readonly isComplete: boolean;
  /** The host's table that `require(name)` in this file gives; undefined for a file of the program. */
  readonly libraryAt: (name: string, path: string) => string | undefined;
  readonly hostApi: (version: HostVersion) => HostApi;
}

interface LintFile {
  readonly path: string;
  readonly text: string;
  /** Of the package; otherwise of a rock. */
  readonly isOwn: boolean;
}

/** Of all files together: an upload must be read within seconds, also on a small gateway. */
const MOST_CHARACTERS = 256 * 1024;

/** All of them warnings. The interpreter has accepted the files. Never throws. */
export function lintScripts({ files, blueprint, isComplete, libraryAt, hostApi }: LintInput): readonly ScriptIssue[] {
  let characters = 0;
  const parsed = files.flatMap(({ path, text, isOwn }): ParsedFile[] => {
    characters += text.length;
    const chunk = characters > MOST_CHARACTERS ? undefined : parseLua(text).chunk;
    return chunk === undefined ? [] : [{ path, chunk, isOwn }];
  });
  const own = files.filter(({ isOwn }) => isOwn);
  const isV1 =
    blueprint.luaHost === "v1" ||
    own.some(({ text }) => scanRequires(text).needed.some(({ name }) => name === "busbar.v1"));
  const api = hostApi(isV1 ? "v1" : "v3");
  const libraries = { libraryAt, isComplete: isComplete && parsed.length === files.length };
  return lintParsed(
    { parsed, texts: new Map(own.map(({ path, text }) => [path, text])), api, ...libraries },
    (report) =>
      ({ path, call }) =>
        checkManifestNames({ report, blueprint }, path, call),
  );
}

interface ParsedProgram {
  readonly parsed: readonly ParsedFile[];
  /** Of the files that are reported on. */
  readonly texts: ReadonlyMap<string, string>;
  readonly api: HostApi;
  readonly isComplete: boolean;
  readonly libraryAt: LintInput["libraryAt"];
}

interface LintedCall {
  readonly path: string;
  readonly chain: LuaChain;
  readonly call: HostCall;
}

/** `namesOf` looks at the names that a call of the host is given. */
function lintParsed(
  { parsed, texts, api, isComplete, libraryAt }: ParsedProgram,
  namesOf: (report: LintReport, facts: LintFacts) => (called: LintedCall) => void,
): readonly ScriptIssue[] {
  const facts = gatherFacts(parsed);
  const types = createHostTypes({ api, facts, libraryAt });
  const report = createLintReport(texts);
  const checkNames = namesOf(report, facts);
  const ownParsed = parsed.filter(({ isOwn }) => isOwn);

  /** A field that a script tests somewhere may be missing. */
  const tested = new Set<string>();
  for (const { path, chunk } of ownParsed) {
    walkLua(chunk, {
      chain: (chain, isTest) =>
        types.follow(chain, path, {
          unknown: (table, { kind, name }, isLast) => {
            if (isTest && isLast && kind === "field") tested.add(`${table.name}.${name}`);
          },
          called: (call) => types.addCallbacks(call),
        }),
    });
  }
  for (const { path, chunk } of ownParsed) {
    walkLua(chunk, {
      chain: (chain) =>
        types.follow(chain, path, {
          unknown(table, step) {
            if (!tested.has(`${table.name}.${step.name}`)) reportUnknownField(report, path, { table, step });
          },
          called(call) {
            checkCall(report, path, call);
            checkNames({ path, chain, call });
          },
        }),
    });
  }
  checkGlobals({ api, facts, report, isComplete });
  return report.issues();
}

/** For what they define. Undefined: not all of them can be read. */
function parsedModules({ texts, problems }: RuleModules, mostCharacters: number): readonly ParsedFile[] | undefined {
  const all = [...texts].map(([slug, bytes]) => ({ path: `${slug}.lua`, text: new TextDecoder().decode(bytes) }));
  const characters = all.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > mostCharacters || problems.size > 0) return undefined;
  const parsed = all.map(({ path, text }) => ({ path, chunk: parseLua(text).chunk, isOwn: false }));
  return parsed.every((one): one is ParsedFile => one.chunk !== undefined) ? parsed : undefined;
}

let ruleApi: HostApi | undefined;

export interface LintedRule {
  readonly file: string;
  readonly text: string;
  /** Undefined: names are not checked. */
  readonly site: RuleSite | undefined;
  /** What it requires. Undefined: nobody knows. */
  readonly modules?: RuleModules | undefined;
}

/** The script of a rule: what is no Lua is an error, everything else a warning. Never throws. */
export function lintRule({ file, text, site, modules }: LintedRule): readonly ScriptIssue[] {
  const { chunk, problem } = parseLua(text);
  if (chunk === undefined) {
    const report = createLintReport(new Map([[file, text]]));
    const at = problem?.at ?? 0;
    report.add(
      "lua_syntax",
      file,
      { at, end: at },
      `This is not valid Lua: ${problem?.message ?? "it cannot be read"}.`,
    );
    return report.issues();
  }
  ruleApi ??= createRuleApi();
  const api = ruleApi;
  const others = modules === undefined ? undefined : parsedModules(modules, MOST_CHARACTERS - text.length);
  const parsed = [{ path: file, chunk, isOwn: true }, ...(others ?? [])];
  const isComplete = others !== undefined || requiredNames(text).every(isRuleLibrary);
  const libraryAt = (name: string) => (isRuleLibrary(name) && api.tables.has(name) ? name : undefined);
  const program = { parsed, texts: new Map([[file, text]]), api, isComplete, libraryAt };
  return lintParsed(program, (report, facts) => {
    if (modules !== undefined) checkModules({ report, facts, modules }, file, chunk);
    return ({ path, chain, call }) => {
      if (site !== undefined) checkSiteNames({ report, facts, site }, path, chain, call);
    };
  });
}
