// Which table or object of the host an expression gives, where that is certain.
import { type HostApi, type HostTable, tableOfType } from "#core/lua/host/create-host-api.ts";
import { callbackParameters, type HostFunction, type HostMember } from "#core/lua/host/parse-signature.ts";
import type { LuaChain, LuaExpression, LuaLocal, LuaStep } from "#core/lua/lua-syntax.ts";
import type { LintFacts, LuaVariable } from "./lint-facts.ts";

interface ChainObserver {
  /** The host's table has no such field. */
  unknown?(table: HostTable, step: NamedStep, isLast: boolean): void;
  /** `owner` is undefined for a global function. */
  called?(call: HostCall): void;
}

export interface HostCall {
  readonly owner: HostTable | undefined;
  readonly name: string;
  readonly member: HostFunction;
  readonly step: CallStep;
}

type NamedStep = Extract<LuaStep, { readonly name: string }>;
type CallStep = Extract<LuaStep, { readonly args: readonly LuaExpression[] }>;

export interface HostTypes {
  /** Follows a chain as far as it is known. */
  follow(chain: LuaChain, path: string, observer: ChainObserver): void;
  /** The parameters of a function that is given to the host: `function(ctx, args)`. */
  addCallbacks(call: HostCall): void;
}

interface TypeNeeds {
  readonly api: HostApi;
  readonly facts: LintFacts;
  /** The host's table that `require(name)` in this file gives; undefined for a file of the program. */
  readonly libraryAt: (name: string, path: string) => string | undefined;
}

/** A variable that is copied from a variable, and so on. */
const MOST_COPIES = 16;

export function createHostTypes({ api, facts, libraryAt }: TypeNeeds): HostTypes {
  const variables = new Map<LuaVariable, HostTable | undefined>();
  const callbacks = new Map<LuaLocal, HostTable>();
  /** `table.field` that the script itself has set: no longer the host's. */
  let replaced: ReadonlySet<string> | undefined;
  const givenAway = tablesGivenAway(api, facts);

  function tableOfVariable(variable: LuaVariable, copies: number): HostTable | undefined {
    if (variables.has(variable)) return variables.get(variable);
    const found = copies > MOST_COPIES ? undefined : commonTable(variable, copies);
    variables.set(variable, found);
    return found;
  }

  function commonTable(variable: LuaVariable, copies: number): HostTable | undefined {
    const sources = facts.sources.get(variable) ?? [];
    const given = typeof variable === "string" ? undefined : callbacks.get(variable);
    if (given !== undefined && sources.length === 1) return given;
    // Until it is known, so that a circle ends.
    variables.set(variable, undefined);
    const tables = sources.map((source) =>
      source === "unknown" ? undefined : typesOf(source.expression, source.path, copies + 1)[source.result],
    );
    const [first] = tables;
    return tables.every((table) => table === first) ? first : undefined;
  }

  /** The tables of each value that the expression gives. */
  function typesOf(value: LuaExpression, path: string, copies: number): readonly (HostTable | undefined)[] {
    if (value.kind === "parenthesized") return typesOf(value.value, path, copies).slice(0, 1);
    if (value.kind === "name") return [startOf(value, copies).table];
    if (value.kind === "chain") return run(value, { path, copies, observer: {} });
    return [];
  }

  function startOf(head: LuaChain["head"], copies: number, path = ""): Reached {
    if (head.kind === "parenthesized") return { ...NOTHING, table: typesOf(head.value, path, copies)[0] };
    if (head.local !== undefined) return { ...NOTHING, table: tableOfVariable(head.local, copies) };
    if (facts.sources.has(head.name)) return { ...NOTHING, table: tableOfVariable(head.name, copies) };
    const member = api.globals.get(head.name);
    return { owner: undefined, name: head.name, member, table: tableOfMember(member) };
  }

  const tableOfMember = (member: HostMember | undefined) =>
    member?.kind === "value" ? tableOfType(api, member.type) : undefined;

  function run(chain: LuaChain, { path, copies, observer }: RunOptions): readonly (HostTable | undefined)[] {
    let at = startOf(chain.head, copies, path);
    let results: readonly (HostTable | undefined)[] = [];
    for (const [index, step] of chain.steps.entries()) {
      const isLast = index === chain.steps.length - 1;
      if (step.kind === "index") return [];
      if (step.kind !== "call") {
        const { table } = at;
        if (table === undefined || givenAway.has(table.name)) return [];
        if (replaced?.has(`${table.name}.${step.name}`) === true) return [];
        const member = table.members.get(step.name);
        // Further keys of a table hold plain values, which have no methods.
        const isCertain = table.others === undefined || step.kind === "method";
        if (member === undefined && isCertain) observer.unknown?.(table, step, isLast);
        if (member === undefined) return [];
        at = { owner: table, name: step.name, member, table: tableOfMember(member) };
      }
      if (step.kind === "field") {
        results = [at.table];
        continue;
      }
      const library = at.owner === undefined && at.name === "require" ? required(step, path) : undefined;
      if (at.member?.kind === "function") {
        const { owner, name, member } = at;
        observer.called?.({ owner, name, member, step });
        results = member.returns.map((type) => tableOfType(api, type));
      } else if (library !== undefined) results = [library];
      else return [];
      at = { ...NOTHING, table: results[0] };
    }
    return results;
  }

  function required({ args: [name] }: CallStep, path: string): HostTable | undefined {
    const library = name?.kind === "string" ? libraryAt(name.text, path) : undefined;
    return library === undefined || facts.sources.has(library) ? undefined : tableOfMember(api.globals.get(library));
  }

  replaced = new Set(
    facts.writtenFields.flatMap(({ chain, path }) => {
      const last = chain.steps.at(-1);
      if (last?.kind !== "field") return [];
      const before = chain.steps.slice(0, -1);
      const owner =
        before.length === 0
          ? startOf(chain.head, 0, path).table
          : run({ ...chain, steps: before }, { path, copies: 0, observer: {} })[0];
      return owner === undefined ? [] : [`${owner.name}.${last.name}`];
    }),
  );

  return {
    follow: (chain, path, observer) => void run(chain, { path, copies: 0, observer }),
    addCallbacks({ member, step }) {
      const offset = step.kind === "call" && member.call === "colon" ? 1 : 0;
      member.parameters.forEach(({ type }, index) => {
        const given = step.args[index + offset];
        if (given?.kind !== "function") return;
        callbackParameters(type).forEach((parameter, position) => {
          const local = given.parameters[position];
          const table = tableOfType(api, parameter.type);
          if (local === undefined || table === undefined) return;
          callbacks.set(local, table);
          variables.delete(local);
        });
      });
    },
  };
}

interface RunOptions {
  readonly path: string;
  readonly copies: number;
  readonly observer: ChainObserver;
}

interface Reached {
  readonly owner: HostTable | undefined;
  readonly name: string;
  readonly member: HostMember | undefined;
  readonly table: HostTable | undefined;
}

const NOTHING: Reached = { owner: undefined, name: "", member: undefined, table: undefined };

/** Global tables that are passed to something that may add fields to them. */
function tablesGivenAway(api: HostApi, { globals }: LintFacts): ReadonlySet<string> {
  const given = new Set<string>();
  for (const [name, uses] of globals) {
    const member = api.globals.get(name);
    if (member?.kind !== "value" || !api.tables.has(member.type)) continue;
    if (uses.some(({ role }) => role === "value")) given.add(member.type);
  }
  return given;
}
