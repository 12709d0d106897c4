// What can be written at a place of a rule in Lua: its functions, and within quotes names of the site. Pure.
import type { Hints } from "#web/editor/manifest-hints.ts";
import { type RuleNames, wordOf } from "./rule-names.ts";

/** What a rule sees beside Lua itself, with what it answers. */
const FUNCTIONS: readonly (readonly [string, string])[] = [
  ["enapter.device", "a device, by its id or slug"],
  ["enapter.devices", "all devices of the site"],
  ["enapter.log", "writes to the log of the rule"],
  ["telemetry.now", "the newest value; nil if it is too old"],
  ["telemetry.last", "the newest value of any age, and its time"],
  ["telemetry.age", "seconds since the newest value"],
  ["telemetry.avg", "the average until now"],
  ["telemetry.min", "the least value until now"],
  ["telemetry.max", "the greatest value until now"],
  ["telemetry.series", "averages of steps"],
  ["commands.execute", "executes a command"],
  ["online", "whether the device is connected"],
  ["implements", "its profiles"],
  ["property", "a property"],
  ["claim", "claims a control"],
  ["release", "ends claims of this rule"],
  ["explain", "says what the rule does now"],
  ["variables.get", "a variable of the site"],
  ["variables.set", "sets a variable"],
  ["storage.read", "a text that survives restarts"],
  ["storage.write", "keeps a text"],
  ["storage.remove", "forgets a text"],
  ["scheduler.add", "runs a function every so many milliseconds"],
  ["scheduler.remove", "ends a job"],
];

export function luaHints(text: string, offset: number, names: RuleNames): Hints | undefined {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  if (/^[^"']*--/.test(before)) return undefined;
  const quoted = /([\w.:]*)\(\s*["']([\w./-]*)$/.exec(before);
  if (quoted !== null) {
    const [, call = "", typed = ""] = quoted;
    const hints = namesFor(call, names).map(([label, detail]) => ({ label, detail, info: "", apply: label }));
    return hints.length === 0 ? undefined : { from: offset - typed.length, hints };
  }
  const [typed = ""] = /[A-Za-z_][\w.]*$/.exec(before) ?? [];
  if (typed === "") return undefined;
  const part = typed.slice(typed.lastIndexOf(".") + 1);
  const owner = typed.slice(0, typed.length - part.length);
  // After a point it belongs to something: `meter.telemetry.` goes on with what telemetry has.
  const tail = /(\w+\.)$/.exec(owner)?.[1] ?? "";
  const hints = FUNCTIONS.flatMap(([name, info]) => {
    if (owner === "") return [{ label: name, detail: "", info, apply: name }];
    return name.startsWith(tail)
      ? [{ label: name.slice(tail.length), detail: name, info, apply: name.slice(tail.length) }]
      : [];
  });
  return hints.length === 0 ? undefined : { from: offset - part.length, hints };
}

function namesFor(call: string, { devices, variables, calendars }: RuleNames): readonly (readonly [string, string])[] {
  const unique = (pairs: readonly (readonly [string, string])[]) => [...new Map(pairs).entries()];
  if (/\bdevice$/.test(call)) return devices.map((one) => [wordOf(one), one.name]);
  if (/variables[.:]\w+$/.test(call)) return variables.map(({ name, value }) => [name, String(value).slice(0, 40)]);
  if (/telemetry[.:]\w+$/.test(call))
    return unique(
      devices.flatMap(({ attributes }) => attributes.map(({ name, display_name }) => [name, display_name] as const)),
    );
  if (/[.:](?:claim|release)$/.test(call))
    return unique(devices.flatMap((one) => one.controls.map(({ name }) => [name, one.name] as const)));
  if (/execute$/.test(call))
    return unique(
      devices.flatMap(({ commands }) => commands.map(({ name, display_name }) => [name, display_name] as const)),
    );
  if (/calendar[.:]\w+$/.test(call)) return calendars.map((name) => [name, ""]);
  return [];
}
