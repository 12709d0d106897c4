import { DETAILS_FIELD } from "#core/alert/alert-details.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { HostTable } from "#core/lua/host/create-host-api.ts";
import type { LuaExpression, LuaSpan } from "#core/lua/lua-syntax.ts";
import type { HostCall } from "./host-types.ts";
import type { LintReport } from "./lint-report.ts";

/** The field is not one of the host's. */
export function reportUnknownField(
  report: LintReport,
  path: string,
  { table, step }: { readonly table: HostTable; readonly step: { readonly name: string } & LuaSpan },
): void {
  const nearest = report.nearest(step.name, table.members.keys());
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  report.add("lua_unknown_field", path, step, `${table.name} has no ${step.name}.${hint}`);
}

/** Too few or too many arguments, and a dot in place of a colon or the other way round. */
export function checkCall(report: LintReport, path: string, { owner, name, member, step }: HostCall): void {
  const full = owner === undefined ? name : `${owner.name}${member.call === "colon" ? ":" : "."}${name}`;
  if (step.kind === "method" && member.call === "dot") {
    report.add(
      "lua_wrong_call",
      path,
      step,
      `${full} is called with a dot. A colon passes the table as first argument.`,
    );
    return;
  }
  const isBare = step.kind === "call" && member.call === "colon";
  if (isBare && (step.args[0] === undefined || isLiteral(step.args[0]))) {
    report.add("lua_wrong_call", path, step, `${full} is called with a colon, not with a dot.`);
    return;
  }
  const args = isBare ? step.args.slice(1) : step.args;
  const isOpen = givesSeveral(args.at(-1));
  const least = member.parameters.findLastIndex(({ isOptional }) => !isOptional) + 1;
  const most = mostArguments(member, step.kind);
  const given = isOpen ? args.length - 1 : args.length;
  if (given <= most && (isOpen || given >= least)) return;
  const wanted =
    least === most ? counted(most) : given < least ? `at least ${counted(least)}` : `at most ${counted(most)}`;
  const names = member.parameters.map((one) => (one.isOptional ? `[${one.name}]` : one.name)).join(", ");
  report.add("lua_wrong_call", path, step, `${full}(${names}) takes ${wanted}, not ${given}.`);
}

function mostArguments({ call, parameters }: HostCall["member"], written: "call" | "method"): number {
  if (parameters.at(-1)?.name === "...") return Number.POSITIVE_INFINITY;
  // With a dot it may be given its own table.
  return call === "either" && written === "call" ? parameters.length + 1 : parameters.length;
}

function counted(count: number): string {
  return count === 0 ? "no argument" : count === 1 ? "1 argument" : `${count} arguments`;
}

/** The object is never one of these. */
function isLiteral({ kind }: LuaExpression): boolean {
  return (
    kind === "number" ||
    kind === "string" ||
    kind === "boolean" ||
    kind === "nil" ||
    kind === "function" ||
    kind === "table"
  );
}

/** A call at the end of a list gives as many values as it returns. */
function givesSeveral(value: LuaExpression | undefined): boolean {
  if (value?.kind === "varargs") return true;
  const last = value?.kind === "chain" ? value.steps.at(-1)?.kind : undefined;
  return last === "call" || last === "method";
}

interface Declared {
  readonly what: string;
  readonly names: (blueprint: Blueprint) => ReadonlySet<string>;
}

const namesOf = (list: ReadonlyMap<string, { readonly aliases?: readonly string[] }>): string[] =>
  [...list].flatMap(([id, { aliases }]) => [id, ...(aliases ?? [])]);

const BUCKET: Declared = {
  what: "configuration bucket",
  names: ({ configuration }) => new Set(configuration.keys()),
};
/** Functions whose first argument is a name of the manifest. */
const NAMED: ReadonlyMap<string, Declared> = new Map([
  ["enapter.register_command_handler", { what: "command", names: ({ commands }) => new Set(namesOf(commands)) }],
  ["configuration.read", BUCKET],
  ["configuration.is_all_required_set", BUCKET],
  ["configuration.after_write", BUCKET],
]);
/** Functions whose first argument is a table of values by names of the manifest. */
const KEYED: ReadonlyMap<string, Declared> = new Map([
  [
    "enapter.send_telemetry",
    {
      what: "telemetry attribute",
      names: ({ telemetry }) => new Set([...namesOf(telemetry), "alerts", DETAILS_FIELD]),
    },
  ],
  ["enapter.send_properties", { what: "property", names: ({ properties }) => new Set(namesOf(properties)) }],
]);

/** Names that the script writes down and the manifest does not declare. */
export function checkManifestNames(
  { report, blueprint }: { readonly report: LintReport; readonly blueprint: Blueprint },
  path: string,
  { owner, name, step: { args } }: HostCall,
): void {
  const [first] = args;
  const key = `${owner?.name}.${name}`;
  const check = ({ what, names }: Declared, written: string, place: LuaSpan): void => {
    const declared = names(blueprint);
    if (declared.has(written)) return;
    const nearest = report.nearest(written, declared);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    report.add(
      "lua_undeclared_name",
      path,
      place,
      `The manifest declares no ${what} ${JSON.stringify(written)}.${hint}`,
    );
  };
  const named = NAMED.get(key);
  if (named !== undefined && first?.kind === "string") check(named, first.text, first);
  const keyed = KEYED.get(key);
  if (keyed === undefined || first?.kind !== "table") return;
  for (const { key: field } of first.fields) if (field?.kind === "field") check(keyed, field.name, field);
}
