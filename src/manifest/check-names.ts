import type { Fix } from "#core/blueprint/issue.ts";
import { replaceText, titleOf } from "./edits.ts";
import { type Checked, declares, type Path, reportAt } from "./manifest-rules.ts";
import { follow } from "./tree.ts";
import { choices, quote, short } from "./words.ts";

/** Rules about names that refer to each other: aliases, groups, commands, telemetry of alerts. */
export function checkNames(checked: Checked): void {
  const { draft } = checked;
  checkAliases(checked, "properties", draft.properties);
  checkAliases(checked, "telemetry", draft.telemetry);
  checkAliases(checked, "commands", draft.commands);
  checkGroups(checked);
  checkPopulateCommands(checked);
  checkAlertTelemetry(checked);
}

type Named = ReadonlyMap<string, { readonly aliases: readonly (string | undefined)[] | undefined }>;

function checkAliases(checked: Checked, section: string, named: Named | undefined): void {
  const owners = new Map<string, string>();
  for (const [id, { aliases }] of named ?? []) {
    for (const [index, alias] of (aliases ?? []).entries()) {
      if (alias === undefined || alias === id) continue;
      const owner = named?.has(alias) ? `the ID of another entry of ${section}` : owners.get(alias);
      if (owner === undefined) owners.set(alias, `an alias of ${short(id)}`);
      else if (!checked.reporter.skips("alias_taken")) {
        const message = `The alias ${quote(alias)} is already ${owner}. A name must lead to one entry only.`;
        reportAt(checked, [section, id, "aliases", index], { code: "alias_taken", message });
      }
    }
  }
}

function checkGroups(checked: Checked): void {
  const { commandGroups, commands } = checked.draft;
  if (commandGroups === undefined && declares(checked, "command_groups")) return;
  const groups = [...(commandGroups?.keys() ?? [])];
  for (const [id, { group }] of commands ?? []) {
    if (group === undefined || commandGroups?.has(group) || checked.reporter.skips("unknown_group")) continue;
    const message = `The command ${short(id)} is in the group ${quote(group)}, which command_groups does not have.`;
    const path = ["commands", id, "group"];
    if (declares(checked, "command_groups")) {
      reportReference(checked, path, { code: "unknown_group", message, name: group, known: groups });
    } else {
      reportAt(checked, path, { code: "unknown_group", message, fix: declareGroup(checked, group) });
    }
  }
}

/** The first group of a manifest that has none, in front of its commands. */
function declareGroup({ root, reporter }: Checked, group: string): Fix | undefined {
  const entry = root.node.kind === "map" ? root.node.entries.get("commands") : undefined;
  const start = entry?.keyStart ?? 0;
  const isAtMargin = start > 0 && reporter.text[start - 1] === "\n";
  if (!isAtMargin || !/^[A-Za-z]\w*$/.test(group)) return undefined;
  const text = `command_groups:\n  ${group}:\n    display_name: ${titleOf(group)}\n`;
  return { title: `Declare the group ${group}`, edits: [{ start, end: start, text }] };
}

function checkPopulateCommands(checked: Checked): void {
  const commands = checked.draft.commands ?? new Map();
  const names = namesOf(checked.draft.commands);
  const known = [...commands.keys()];
  for (const [id, { populateValuesCommand: name }] of commands) {
    if (name === undefined || names.has(name)) continue;
    const message = `populate_values_command names the command ${quote(name)}, which commands does not have.`;
    const path = ["commands", id, "populate_values_command"];
    reportReference(checked, path, { code: "unknown_command", message, name, known });
  }
}

function checkAlertTelemetry(checked: Checked): void {
  const { alerts, telemetry } = checked.draft;
  if (telemetry === undefined && declares(checked, "telemetry")) return;
  // Every device has the attribute alerts, declared or not.
  const names = namesOf(telemetry).add("alerts");
  const known = [...(telemetry?.keys() ?? [])];
  for (const [id, alert] of alerts ?? []) {
    for (const [index, name] of (alert.telemetry ?? []).entries()) {
      if (name === undefined || names.has(name)) continue;
      const message = `The alert ${short(id)} names the telemetry attribute ${quote(name)}, which telemetry does not have.`;
      const path = ["alerts", id, "telemetry", index];
      reportReference(checked, path, { code: "unknown_telemetry", message, name, known });
    }
  }
}

interface BadReference {
  readonly code: "unknown_group" | "unknown_command" | "unknown_telemetry";
  readonly message: string;
  readonly name: string;
  readonly known: readonly string[];
}

function reportReference(checked: Checked, path: Path, { code, message, name, known }: BadReference): void {
  if (checked.reporter.skips(code)) return;
  const { nearest, words } = choices(checked.reporter, name, known);
  const { node } = follow(checked.root, path);
  const fix = nearest === undefined ? undefined : replaceText(checked.reporter.text, node, nearest);
  reportAt(checked, path, { code, message: `${message} ${words}`.trimEnd(), fix });
}

function namesOf(named: Named | undefined): Set<string> {
  const names = new Set<string>();
  for (const [id, { aliases }] of named ?? []) {
    names.add(id);
    for (const alias of aliases ?? []) if (alias !== undefined) names.add(alias);
  }
  return names;
}
