// Type stubs for LuaLS, the language server of Lua, made of the register of the host and of a blueprint's manifest.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type HostApi, type HostTable, tableOfType } from "./create-host-api.ts";
import { argumentsClass, bucketClass, renderManifestStub } from "./manifest-stub.ts";
import type { HostFunction, HostMember } from "./parse-signature.ts";
import { STANDARD_LIBRARY } from "./standard-library.ts";

/** Beside the manifest. Its dot keeps it out of packages. */
export const STUBS_FOLDER = ".lua-stubs";
export const STUBS_SETTINGS = ".luarc.json";

const HEADER = "-- Written by busbar. Changes are lost when it writes the stubs again.";

/** By file name. */
export function renderStubs(api: HostApi, blueprint: Blueprint): ReadonlyMap<string, string> {
  const files = renderHost({ api, blueprint });
  return files.set("manifest.lua", renderFile("", renderManifestStub(api, blueprint)));
}

/** Of the host of rules, by file name. */
export const renderRuleStubs = (api: HostApi): ReadonlyMap<string, string> => renderHost({ api, blueprint: undefined });

function renderHost({ api, blueprint }: StubContext): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of api.globals.keys()) {
    const table = api.tables.get(name);
    if (table === undefined) continue;
    files.set(`${name}.lua`, renderFile(name, renderModule({ api, blueprint }, table)));
  }
  files.set("globals.lua", renderFile("", renderGlobals(api)));
  return files;
}

/** How LuaLS reads the folder: the stubs, the version of Lua, and what a script does not have. */
export function renderSettings(): string {
  const settings = {
    "runtime.version": "Lua 5.3",
    "runtime.builtin": { debug: "disable", io: "disable", os: "disable" },
    "workspace.library": [STUBS_FOLDER],
    "workspace.checkThirdParty": false,
    // `local value, err = ...` followed by a look at `err` is how scripts check; LuaLS does not see it.
    "diagnostics.disable": ["need-check-nil"],
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function renderFile(module: string, parts: readonly string[]): string {
  return `${[`---@meta${module === "" ? "" : ` ${module}`}\n${HEADER}`, ...parts].join("\n\n")}\n`;
}

interface StubContext {
  readonly api: HostApi;
  /** Undefined for a rule. */
  readonly blueprint: Blueprint | undefined;
}

function renderModule({ api, blueprint }: StubContext, table: HostTable): readonly string[] {
  const { name } = table;
  const classes = [...api.tables.values()].filter((one) => one.name.startsWith(`${name}.`));
  return [
    ...renderTable(table, { variable: name, blueprint }),
    ...[...api.globals].flatMap(([alias, member]) =>
      member.kind === "value" && member.type === name && alias !== name
        ? [`--- ${member.about}\n---@type ${name}\n${alias} = ${name}`]
        : [],
    ),
    ...classes.flatMap((one) => {
      const variable = one.name.slice(name.length + 1);
      return renderTable(one, { variable, blueprint });
    }),
    `return ${name}`,
  ];
}

function renderTable(
  { name, about, members, others }: HostTable,
  { variable, blueprint }: { readonly variable: string; readonly blueprint: Blueprint | undefined },
): readonly string[] {
  const fields = [...members].flatMap(([field, member]) =>
    member.kind === "value" ? [renderField(field, member.type, member.about)] : [],
  );
  const index = others === undefined ? [] : [`---@field [string|integer] ${others}`];
  const head = [`--- ${about}`, `---@class ${name}`, ...fields, ...index, declared(name, variable)].join("\n");
  const functions = [...members].flatMap(([field, member]) =>
    member.kind === "function"
      ? [renderFunction(variable, field, member, overloads(`${name}.${field}`, blueprint))]
      : [],
  );
  return [head, ...functions];
}

const declared = (name: string, variable: string): string =>
  name === variable ? `${name} = {}` : `local ${variable} = {}`;

function renderField(name: string, type: string, about: string): string {
  const isOptional = type.endsWith("?");
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : `['${name}']`;
  return `---@field ${key}${isOptional ? "?" : ""} ${isOptional ? type.slice(0, -1) : type} ${about}`.trimEnd();
}

function renderFunction(
  owner: string,
  name: string,
  { call, parameters, returns, about }: HostFunction,
  more: readonly string[] = [],
): string {
  const place = owner === "" ? name : `${owner}${call === "colon" ? ":" : "."}${name}`;
  return [
    `--- ${about}`,
    ...parameters.map((one) => `---@param ${one.name}${one.isOptional && one.name !== "..." ? "?" : ""} ${one.type}`),
    ...returns.map((type) => `---@return ${type}`),
    ...more.map((type) => `---@overload ${type}`),
    `function ${place}(${parameters.map((one) => one.name).join(", ")}) end`,
  ].join("\n");
}

/** What a blueprint makes of a call: the arguments of its commands, the values of its buckets. */
function overloads(name: string, blueprint: Blueprint | undefined): readonly string[] {
  if (blueprint === undefined) return [];
  const { commands, configuration } = blueprint;
  if (name === "enapter.register_command_handler") {
    return [...commands.values()].map(
      ({ id }) => `fun(name: '${id}', handler: fun(ctx: enapter.CommandContext, args: ${argumentsClass(id)}): table?)`,
    );
  }
  if (name !== "configuration.read") return [];
  return [...configuration.keys()].map((id) => `fun(bucket: '${id}'): ${bucketClass(id)}?, string?`);
}

/** What is in no table of the host's own. */
function renderGlobals(api: HostApi): readonly string[] {
  const isOwn = (member: HostMember): boolean => member.kind === "function" || member.about !== "";
  const globals = [...api.globals].flatMap(([name, member]) => {
    if (!isOwn(member)) return [];
    if (member.kind === "function") return [renderFunction("", name, member)];
    return api.tables.has(member.type) ? [] : [`--- ${member.about}\n---@type ${member.type}\n${name} = nil`];
  });
  const added = Object.keys(STANDARD_LIBRARY).flatMap((owner) =>
    [...(tableOfType(api, `${owner}lib`)?.members ?? [])].flatMap(([name, member]) =>
      member.kind === "function" ? [renderFunction(owner, name, member)] : [],
    ),
  );
  return [...globals, ...added];
}
