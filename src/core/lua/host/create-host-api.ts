// What a script finds around it, put together from the register: names, parameters, types and one sentence each.

import { V1_MISSING, V1_SIGNATURES, V1_TABLES } from "#core/lua/v1/v1-signatures.ts";
import { DEVICE_ALIASES, DEVICE_SIGNATURES, DEVICE_TABLES } from "./device-signatures.ts";
import { signatures as HTTP_SIGNATURES, tables as HTTP_TABLES } from "./http-signatures.ts";
import { type HostMember, parseSignature } from "./parse-signature.ts";
import { RULE_SIGNATURES, RULE_TABLES, SHARED_TABLES } from "./rule-signatures.ts";
import { STANDARD_LIBRARY } from "./standard-library.ts";

/** A global table, or a class of objects and plain tables. */
export interface HostTable {
  readonly name: string;
  readonly about: string;
  readonly members: ReadonlyMap<string, HostMember>;
  /** The type of further keys; undefined when there are none. */
  readonly others: string | undefined;
}

export interface HostApi {
  /** By name; the type of a table is its name. */
  readonly globals: ReadonlyMap<string, HostMember>;
  readonly tables: ReadonlyMap<string, HostTable>;
  readonly aliases: ReadonlyMap<string, string>;
}

/** That of device/3.0, or that of device/1.0. */
export type HostVersion = "v3" | "v1";

/** Texts of tables and classes, and of functions and values. */
interface Signatures {
  readonly tables: Readonly<Record<string, string>>;
  readonly signatures: Readonly<Record<string, string>>;
}

const DEVICE: Signatures = { tables: DEVICE_TABLES, signatures: DEVICE_SIGNATURES };
/** Functions that take a dot and a colon. */
const CALLED_EITHER_WAY: ReadonlySet<string> = new Set([
  "enapter.CommandContext.error",
  "enapter.CommandContext.log",
  "modbustcp.Client.err_to_str",
  "ucm.Peer.execute_command",
]);

/** What the script of a rule finds around it. */
export function createRuleApi(): HostApi {
  const made: Tables = { globals: new Map(), tables: new Map() };
  const shared = Object.entries(DEVICE_TABLES).filter(([name]) => SHARED_TABLES.includes(name));
  addTables(made, { ...Object.fromEntries(shared), ...HTTP_TABLES, ...RULE_TABLES });
  addStandardLibrary(made);
  const owners = [...SHARED_TABLES, "math", "coroutine"];
  const signatures = Object.entries(DEVICE_SIGNATURES).filter(([text]) =>
    owners.includes(parseSignature(text, "").owner),
  );
  addSignatures(made, { ...Object.fromEntries(signatures), ...HTTP_SIGNATURES, ...RULE_SIGNATURES });
  return { ...made, aliases: new Map() };
}

/** `drivers` are the signatures of what reaches devices, servers and ports. */
export function createHostApi(version: HostVersion, drivers: readonly Signatures[]): HostApi {
  const made: Tables = { globals: new Map(), tables: new Map() };
  for (const { tables } of [DEVICE, ...drivers]) addTables(made, tables);
  addStandardLibrary(made);
  for (const { signatures } of [DEVICE, ...drivers]) addSignatures(made, signatures);
  if (version === "v1") {
    for (const name of V1_MISSING) made.globals.delete(name);
    addTables(made, V1_TABLES);
    addSignatures(made, V1_SIGNATURES);
  }
  return { ...made, aliases: new Map(Object.entries(DEVICE_ALIASES)) };
}

interface Tables {
  readonly globals: Map<string, HostMember>;
  readonly tables: Map<string, HostTable & { readonly members: Map<string, HostMember> }>;
}

function addTables({ globals, tables }: Tables, abouts: Readonly<Record<string, string>>): void {
  for (const [name, about] of Object.entries(abouts)) {
    tables.set(name, { name, about, members: new Map(), others: undefined });
    if (!name.includes(".")) globals.set(name, { kind: "value", type: name, about });
  }
}

/** Their own parameters are not checked: editors know them. */
function addStandardLibrary({ globals, tables }: Tables): void {
  for (const [owner, names] of Object.entries(STANDARD_LIBRARY)) {
    const members = new Map(names.split(/\s+/).map((name) => [name, ANY]));
    const about = "A part of Lua's own library.";
    if (owner === "") for (const [name, member] of members) globals.set(name, member);
    else {
      tables.set(libraryType(owner), { name: owner, about, members, others: undefined });
      globals.set(owner, { kind: "value", type: libraryType(owner), about: "" });
    }
  }
}

const ANY: HostMember = { kind: "value", type: "any", about: "" };

/** As LuaLS calls them: `string` is the type of a text, `stringlib` that of the table with its functions. */
const libraryType = (owner: string): string => `${owner}lib`;

function addSignatures({ globals, tables }: Tables, signatures: Readonly<Record<string, string>>): void {
  for (const [text, about] of Object.entries(signatures)) {
    const { owner, name, member } = parseSignature(text, about);
    const table = tables.get(owner) ?? tables.get(libraryType(owner));
    if (owner !== "" && table === undefined) throw new Error(`there is no table for ${text}`);
    if (name === undefined && table !== undefined && member.kind === "value") {
      tables.set(owner, { ...table, others: member.type });
    } else if (name !== undefined) {
      const isEither =
        member.kind === "function" && (CALLED_EITHER_WAY.has(`${owner}.${name}`) || /^enapter\.Device/.test(owner));
      (table?.members ?? globals).set(name, isEither ? { ...member, call: "either" } : member);
    }
  }
}

/** The table or class that a type names, nil or not; undefined for any other type. */
export function tableOfType({ tables }: HostApi, type: string | undefined): HostTable | undefined {
  return type === undefined ? undefined : tables.get(type.replace(/\?$/, ""));
}
