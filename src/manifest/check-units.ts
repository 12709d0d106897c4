import { replaceText } from "./edits.ts";
import { type Checked, type Path, reportAt } from "./manifest-rules.ts";
import { suggestUnit } from "./suggest-unit.ts";
import { follow } from "./tree.ts";
import { areCompatible, isKnownUnit } from "./units.ts";
import { quote } from "./words.ts";

interface Measured {
  readonly unit: string | undefined;
  readonly allowUnitC?: boolean | undefined;
  readonly allowUnitF?: boolean | undefined;
  readonly autoScale?: readonly (string | undefined)[] | undefined;
}

const AMBIGUOUS = new Map([
  ["C", { means: "Coulomb", meant: "Cel", words: "degrees Celsius", allow: "allow_unit_c" }],
  ["F", { means: "Farad", meant: "[degF]", words: "degrees Fahrenheit", allow: "allow_unit_f" }],
]);

export function checkUnits(checked: Checked): void {
  for (const { path, value } of measuredOf(checked)) {
    const { unit } = value;
    if (unit !== undefined) checkUnit(checked, [...path, "unit"], { ...value, unit });
    for (const [index, scale] of (value.autoScale ?? []).entries()) {
      if (scale !== undefined) checkScale(checked, [...path, "auto_scale", index], { ...value, scale });
    }
  }
}

function* measuredOf({ draft }: Checked): Iterable<{ path: Path; value: Measured }> {
  for (const [id, value] of draft.properties ?? []) yield { path: ["properties", id], value };
  for (const [id, value] of draft.telemetry ?? []) yield { path: ["telemetry", id], value };
  for (const [id, command] of draft.commands ?? []) {
    for (const [name, value] of command.arguments ?? []) yield { path: ["commands", id, "arguments", name], value };
    for (const [name, value] of command.response ?? []) yield { path: ["commands", id, "response", name], value };
  }
}

function checkUnit(checked: Checked, path: Path, value: Measured & { unit: string }): boolean {
  const { unit } = value;
  const custom = checked.draft.units;
  const { text } = checked.reporter;
  const replaced = (by: string) => replaceText(text, follow(checked.root, path).node, by);
  if (custom?.has(unit)) return true;
  const ambiguous = AMBIGUOUS.get(unit);
  if (ambiguous) {
    if (unit === "C" ? value.allowUnitC : value.allowUnitF) return true;
    const { means, meant, words, allow } = ambiguous;
    // Arguments and responses have no such key; a unit of the manifest's own says it there.
    const otherwise = path[0] === "commands" ? `declare ${unit} in units` : `set ${allow}: true`;
    const message = `The unit ${unit} means ${means}. For ${words} write ${meant}; if ${means} is right, ${otherwise}.`;
    reportAt(checked, path, { code: "ambiguous_unit", message, fix: replaced(meant) });
    return true;
  }
  if (isKnownUnit(unit)) return true;
  if (checked.reporter.skips("unknown_unit")) return false;
  const meant = suggestUnit(unit, custom?.keys() ?? []);
  const advice = meant === undefined ? "Use a UCUM unit, or declare it in units." : `Did you mean ${meant.unit}?`;
  const message = `The unit ${quote(unit)} is neither UCUM nor an energy unit nor declared in units. ${advice}`;
  reportAt(checked, path, { code: "unknown_unit", message, fix: meant?.isSame ? replaced(meant.unit) : undefined });
  return false;
}

function checkScale(checked: Checked, path: Path, value: Measured & { scale: string }): void {
  const { scale, unit } = value;
  if (!checkUnit(checked, path, { ...value, unit: scale }) || unit === undefined) return;
  const custom = checked.draft.units;
  const known = isKnownUnit(unit, custom);
  const isCustom = custom?.has(unit) || custom?.has(scale);
  if (!known || unit === scale || (!isCustom && areCompatible(unit, scale))) return;
  const message = `auto_scale names ${quote(scale)}, to which ${quote(unit)} cannot be converted.`;
  reportAt(checked, path, { code: "incompatible_scale", message });
}
