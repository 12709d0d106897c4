import { nearestOf } from "#core/text/nearest.ts";
import { didYouMean, type Given, type Source } from "./given.ts";
import { environmentName, flagName, type Setting, settingList } from "./settings.ts";

type Flags = Source & { readonly file: string | undefined };

/** Reads `--name value`, `--name=value`, and for switches `--name` and `--no-name`; `--config` names the file. */
export function readFlags(args: readonly string[]): Flags {
  const given: Given[] = [];
  const problems: string[] = [];
  let file: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const [name = "", inline] = splitOnce(args[at] ?? "");
    const { setting, negated } = find(name);
    const needsValue = name === "--config" || (setting !== undefined && !setting.kind.isSwitch);
    if (setting?.kind.isSwitch === true) {
      if (negated && inline !== undefined) problems.push(`flag ${name}: takes no value`);
      else given.push({ setting, text: negated ? "false" : (inline ?? "true"), origin: `flag ${name}` });
    } else if (needsValue) {
      const next = args[at + 1];
      const follows = inline === undefined && next !== undefined && !next.startsWith("--");
      if (follows) at++;
      const text = inline ?? (follows ? next : undefined);
      if (text === undefined || text === "") problems.push(`flag ${name}: needs a value`);
      else if (setting === undefined) file = text;
      else given.push({ setting, text, origin: `flag ${name}` });
    } else {
      problems.push(unknown(name));
      const next = args[at + 1];
      if (inline === undefined && name.startsWith("--") && next !== undefined && !next.startsWith("-")) at++;
    }
  }
  return { given, problems, file };
}

const BY_FLAG: ReadonlyMap<string, Setting> = new Map(
  settingList.flatMap((setting) => {
    const name = flagName(setting);
    return name === undefined ? [] : [[name, setting] as const];
  }),
);

function find(name: string): { readonly setting?: Setting | undefined; readonly negated: boolean } {
  const positive = name.startsWith("--no-") ? BY_FLAG.get(`--${name.slice(5)}`) : undefined;
  return positive?.kind.isSwitch === true
    ? { setting: positive, negated: true }
    : { setting: BY_FLAG.get(name), negated: false };
}

function unknown(name: string): string {
  const secret = settingList.find(
    (setting) => setting.kind.secret && `--${setting.name.replaceAll(/[._]/g, "-")}` === name,
  );
  if (secret !== undefined) {
    return `flag ${name}: a secret is not taken as a flag, which others on this machine can read; set ${environmentName(secret)}`;
  }
  return name.startsWith("-")
    ? `flag ${name}: unknown${didYouMean(nearestOf(name, [...BY_FLAG.keys(), "--config"]))}`
    : `argument ${name}: not expected here, settings are given as --name value`;
}

function splitOnce(text: string): readonly string[] {
  const at = text.startsWith("--") ? text.indexOf("=") : -1;
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
