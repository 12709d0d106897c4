import { environmentName, flagName, type Setting, settingList } from "./settings.ts";

/** The settings as a Markdown table, as it stands in docs/configuration.md. */
export function settingsTable(): string {
  return [
    "| Setting | Value | Default | Environment | Flag | What it does |",
    "|---|---|---|---|---|---|",
    ...settingList.map((setting) => `| ${cells(setting).join(" | ")} |`),
  ].join("\n");
}

function cells(setting: Setting): readonly string[] {
  return [
    code(setting.name),
    setting.kind.secret ? `${setting.kind.name} (secret)` : setting.kind.name,
    setting.fallback === undefined ? "none" : code(setting.fallback),
    code(environmentName(setting)),
    code(flagName(setting)),
    setting.about,
  ];
}

const code = (text: string | undefined): string => (text === undefined ? "none" : `\`${text}\``);
