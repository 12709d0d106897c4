import { flagName, type Setting, settingList } from "#config/settings.ts";
import { displayWidth } from "./display-width.ts";

/** The settings that have a flag, for the help of commands that take them. */
export function settingsHelp(): string {
  const lines = settingList.flatMap((setting) => {
    const flag = flagName(setting);
    return flag === undefined ? [] : [[flagUsage(flag, setting), aboutOf(setting)] as const];
  });
  const all = [["--config FILE", "file to read instead of busbar.yaml"] as const, ...lines];
  const width = Math.max(...all.map(([left]) => displayWidth(left)));
  const secrets = settingList.filter((setting) => setting.kind.secret).map((setting) => setting.name);
  return [
    "\nSettings (flag, else BUSBAR_* variable, else busbar.yaml, else default):",
    ...all.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    `\nWithout a flag, because they are secret: ${secrets.join(", ")}.`,
    "docs/configuration.md says more; busbar config prints every value and where it came from.",
  ].join("\n");
}

function flagUsage(flag: string, { kind }: Setting): string {
  return kind.isSwitch ? flag : `${flag} VALUE`;
}

function aboutOf({ about, fallback, kind }: Setting): string {
  return fallback === undefined || kind.isSwitch ? about : `${about} (${fallback})`;
}
