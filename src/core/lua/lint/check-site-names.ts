// Names that the script of a rule writes down and the site does not have.
import type { LuaChain, LuaExpression, LuaSpan } from "#core/lua/lua-syntax.ts";
import type { RuleSite, RuleSiteDevice } from "#core/rule/rule-site.ts";
import type { HostCall } from "./host-types.ts";
import type { LintFacts } from "./lint-facts.ts";
import type { LintReport } from "./lint-report.ts";

interface SiteNames {
  readonly report: LintReport;
  readonly facts: LintFacts;
  readonly site: RuleSite;
}

type Kind = "attribute" | "command" | "control" | "alert";
/** Functions of objects whose first argument is a name of their device. */
const NAMED: ReadonlyMap<string, Kind> = new Map([
  ...["now", "last", "age", "avg", "min", "max", "series"].map(
    (name) => [`enapter.DeviceTelemetry.${name}`, "attribute"] as const,
  ),
  ["enapter.DeviceCommands.execute", "command"],
  ["enapter.Device.claim", "control"],
  ["enapter.Device.release", "control"],
]);
/** Fields of the tables of `on` that name something of the device beside them. */
const FIELDS: readonly Kind[] = ["attribute", "command", "control", "alert"];
const ANY = "any";

export function checkSiteNames(names: SiteNames, path: string, chain: LuaChain, call: HostCall): void {
  const { owner, name, step } = call;
  const full = owner === undefined ? name : `${owner.name}.${name}`;
  const [first] = step.args;
  if (full === "enapter.device" && first?.kind === "string") checkDevice(names, path, first.text, first);
  if (full === "variables.get" && first?.kind === "string") checkVariable(names, path, first.text, first);
  if (full === "on" || full === "schedule") checkTrigger(names, path, first);
  const kind = NAMED.get(full);
  if (kind === undefined || first?.kind !== "string") return;
  const device = deviceOf(names.facts, chain, step);
  const about = device === undefined ? undefined : names.site.devices.get(device);
  if (device !== undefined && about !== undefined) checkName(names, path, { kind, device, about, written: first });
}

function checkDevice({ report, site }: SiteNames, path: string, written: string, place: LuaSpan): void {
  if (!site.devices.has(written)) unknown(report, path, { what: "device", written, place, known: site.devices.keys() });
}

/** A variable that the script sets itself may come later. */
function checkVariable({ report, site, facts }: SiteNames, path: string, written: string, place: LuaSpan): void {
  if (site.variables === undefined || site.variables.has(written) || facts.globals.has("load")) return;
  unknown(report, path, { what: "variable", written, place, known: site.variables });
}

interface Named {
  readonly kind: Kind;
  readonly device: string;
  readonly about: RuleSiteDevice;
  readonly written: { readonly text: string } & LuaSpan;
}

function checkName({ report }: SiteNames, path: string, { kind, device, about, written }: Named): void {
  const known = { attribute: about.attributes, command: about.commands, control: about.controls, alert: about.alerts }[
    kind
  ];
  if (known === undefined || known.has(written.text) || (kind === "alert" && written.text === ANY)) return;
  unknown(report, path, { what: kind, of: device, written: written.text, place: written, known: known.keys() });
}

interface Unknown {
  readonly what: string;
  readonly of?: string;
  readonly written: string;
  readonly place: LuaSpan;
  readonly known: Iterable<string>;
}

function unknown(report: LintReport, path: string, { what, of, written, place, known }: Unknown): void {
  const nearest = report.nearest(written, known);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const owner = of === undefined ? "The site" : `The device ${of}`;
  report.add("lua_unknown_name", path, place, `${owner} has no ${what} ${JSON.stringify(written)}.${hint}`);
}

/** The tables of conditions, also those inside `when`, `all`, `any` and lists. */
function checkTrigger(names: SiteNames, path: string, value: LuaExpression | undefined): void {
  if (value?.kind !== "table") return;
  const texts = new Map<string, { readonly text: string } & LuaSpan>();
  for (const { key, value: field } of value.fields) {
    if (field.kind === "table") checkTrigger(names, path, field);
    if (key?.kind === "field" && field.kind === "string") texts.set(key.name, field);
  }
  const variable = texts.get("variable");
  if (variable !== undefined) checkVariable(names, path, variable.text, variable);
  const device = texts.get("device");
  if (device === undefined) return;
  checkDevice(names, path, device.text, device);
  const about = names.site.devices.get(device.text);
  if (about === undefined) return;
  for (const kind of FIELDS) {
    const written = texts.get(kind);
    if (written !== undefined) checkName(names, path, { kind, device: device.text, about, written });
  }
}

/** The device whose function is called, if it is certain: `enapter.device('meter')` in the chain, or in its only variable. */
function deviceOf(facts: LintFacts, chain: LuaChain, step: HostCall["step"]): string | undefined {
  const before = chain.steps.slice(0, chain.steps.indexOf(step));
  const own = deviceIn(chain.head, before);
  if (own !== undefined || chain.head.kind !== "name") return own;
  const sources = facts.sources.get(chain.head.local ?? chain.head.name) ?? [];
  const [source] = sources;
  if (sources.length !== 1 || source === undefined || source === "unknown" || source.result !== 0) return undefined;
  return source.expression.kind === "chain" ? deviceIn(source.expression.head, source.expression.steps) : undefined;
}

function deviceIn(head: LuaChain["head"], steps: LuaChain["steps"]): string | undefined {
  const [field, call] = steps;
  const isDevice = head.kind === "name" && head.name === "enapter" && head.local === undefined;
  if (!isDevice || field?.kind !== "field" || field.name !== "device" || call?.kind !== "call") return undefined;
  const [first] = call.args;
  return first?.kind === "string" ? first.text : undefined;
}
