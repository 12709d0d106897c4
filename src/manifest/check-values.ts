import type { TelemetryType, ValueType } from "#core/blueprint/blueprint.ts";
import type { Raw, RawEnumItem } from "#core/blueprint/shape.ts";
import { STRING_FORMATS } from "#core/blueprint/vocabulary.ts";
import { parseDuration } from "#core/time/duration.ts";
import { replaceSource, replaceText } from "./edits.ts";
import { type Checked, type Path, reportAt } from "./manifest-rules.ts";
import { readDefault, readEnumValue } from "./read-value.ts";
import { follow } from "./tree.ts";
import { choices, quote, short } from "./words.ts";

/** Rules about values that depend on a declared type, and about texts with a form of their own. */
export function checkValues(checked: Checked): void {
  for (const { path, value } of valuesOf(checked)) {
    checkEnum(checked, path, value);
    checkRange(checked, path, value);
    checkBoundsType(checked, path, value);
    checkSchemaType(checked, path, value);
    checkDefault(checked, path, value);
    checkFormat(checked, path, value);
  }
  checkGracePeriods(checked);
  checkStatus(checked);
}

interface DeclaredValue {
  readonly type: ValueType | TelemetryType | undefined;
  readonly enum: readonly RawEnumItem<unknown>[] | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly default?: Raw | undefined;
  readonly format?: string | undefined;
  readonly jsonSchema?: string | undefined;
}

/** Everything in the manifest that declares a type. */
function* valuesOf({ draft }: Checked): Iterable<{ path: Path; value: DeclaredValue }> {
  for (const [id, value] of draft.properties ?? []) yield { path: ["properties", id], value };
  for (const [id, value] of draft.telemetry ?? []) yield { path: ["telemetry", id], value };
  for (const [id, command] of draft.commands ?? []) {
    for (const [name, value] of command.arguments ?? []) yield { path: ["commands", id, "arguments", name], value };
    for (const [name, value] of command.response ?? []) yield { path: ["commands", id, "response", name], value };
  }
  for (const [id, bucket] of draft.configuration ?? []) {
    for (const [name, value] of bucket.parameters ?? [])
      yield { path: ["configuration", id, "parameters", name], value };
  }
}

function checkEnum(checked: Checked, path: Path, value: DeclaredValue): void {
  if (value.type === undefined) return;
  for (const { raw, step } of value.enum ?? []) {
    const reading = readEnumValue(value.type, raw);
    if (reading === undefined) reportEnumType(checked, [...path, "enum", step], { raw, type: value.type });
    // The keys of an object are texts whatever they mean.
    else if (reading.converted && typeof step === "number") {
      reportConversion(checked, [...path, "enum", step], {
        what: "enum value",
        raw,
        type: value.type,
        read: reading.value,
      });
    }
  }
}

function reportEnumType(checked: Checked, at: Path, { raw, type }: { raw: Raw; type: string }): void {
  if (checked.reporter.skips("enum_value_type")) return;
  const trail = follow(checked.root, at);
  const finding = {
    code: "enum_value_type",
    message: `The enum value ${quote(raw.text)} cannot be read as ${type}.`,
  } as const;
  if (trail.entry) checked.reporter.atKey(trail, finding);
  else checked.reporter.atValue(trail, finding);
}

interface Conversion {
  readonly what: "enum value" | "default";
  readonly raw: Raw;
  readonly type: string;
  readonly read: unknown;
}

function reportConversion(checked: Checked, at: Path, { what, raw, type, read }: Conversion): void {
  const code = what === "default" ? "default_converted" : "enum_value_converted";
  if (checked.reporter.skips(code)) return;
  const source = JSON.stringify(read);
  const message = `The ${what} ${quote(raw.text)} is not written as ${type}. It is read as ${source}.`;
  reportAt(checked, at, { code, message, fix: replaceSource(follow(checked.root, at).node, source) });
}

function checkRange(checked: Checked, path: Path, { min, max }: DeclaredValue): void {
  if (min === undefined || max === undefined || min <= max) return;
  const message = `min is ${min} and max is ${max}: no number is allowed. Swap them, or correct one.`;
  const low = follow(checked.root, [...path, "min"]).node;
  const high = follow(checked.root, [...path, "max"]).node;
  const { text } = checked.reporter;
  const edits = [
    { start: low.start, end: low.end, text: text.slice(high.start, high.end) },
    { start: high.start, end: high.end, text: text.slice(low.start, low.end) },
  ].sort((a, b) => a.start - b.start);
  reportAt(checked, [...path, "min"], { code: "min_above_max", message, fix: { title: "Swap min and max", edits } });
}

function checkBoundsType(checked: Checked, path: Path, value: DeclaredValue): void {
  const { type } = value;
  if (type === undefined || type === "integer" || type === "float") return;
  for (const bound of ["min", "max"] as const) {
    if (value[bound] === undefined) continue;
    const message = `${bound} is not used: values of type ${type} have no order. Remove it, or declare integer or float.`;
    checked.reporter.atKey(follow(checked.root, [...path, bound]), { code: "bounds_without_order", message });
  }
}

function checkSchemaType(checked: Checked, path: Path, { type, jsonSchema }: DeclaredValue): void {
  if (type === undefined || type === "json" || jsonSchema === undefined) return;
  const message = `json_schema is not used: only values of type json are checked against one, not ${type}. Remove it, or declare json.`;
  checked.reporter.atKey(follow(checked.root, [...path, "json_schema"]), { code: "json_schema_unused", message });
}

function checkDefault(checked: Checked, path: Path, value: DeclaredValue): void {
  const { type, default: raw } = value;
  if (type === undefined || raw === undefined) return;
  const at = [...path, "default"];
  const reading = readDefault(type, raw);
  if (reading === undefined) {
    const message = `The default ${quote(raw.text)} cannot be read as ${type}.`;
    reportAt(checked, at, { code: "default_type", message });
    return;
  }
  if (reading.converted) reportConversion(checked, at, { what: "default", raw, type, read: reading.value });
  checkDefaultAllowed(checked, path, { ...value, type, read: reading.value });
}

interface ReadDefault extends DeclaredValue {
  readonly type: ValueType | TelemetryType;
  readonly read: unknown;
}

function checkDefaultAllowed(checked: Checked, path: Path, { type, read, ...value }: ReadDefault): void {
  const at = [...path, "default"];
  const [low, high] = [value.min ?? -Infinity, value.max ?? Infinity];
  const below = value.min !== undefined && typeof read === "number" && read < value.min;
  const above = value.max !== undefined && typeof read === "number" && read > value.max;
  if (low <= high && (below || above)) {
    const message = below
      ? `The default ${read} is below min ${value.min}.`
      : `The default ${read} is above max ${value.max}.`;
    reportAt(checked, at, { code: "default_out_of_range", message });
  }
  if (value.enum === undefined) return;
  const allowed = new Set(value.enum.map(({ raw }) => readEnumValue(type, raw)?.value));
  if (allowed.has(undefined)) return;
  for (const item of Array.isArray(read) ? read : [read]) {
    if (allowed.has(item) || checked.reporter.skips("default_not_in_enum")) continue;
    const { nearest, words } = choices(checked.reporter, String(item), [...allowed].map(String));
    const message = `The default ${quote(String(item))} is not in the enum. ${words}`;
    const { node } = follow(checked.root, at);
    const fixable = nearest !== undefined && type === "string";
    const fix = fixable ? replaceText(checked.reporter.text, node, nearest) : undefined;
    reportAt(checked, at, { code: "default_not_in_enum", message, fix });
  }
}

function checkFormat(checked: Checked, path: Path, { format }: DeclaredValue): void {
  if (format === undefined || STRING_FORMATS.some((known) => known === format)) return;
  if (checked.reporter.skips("unknown_format")) return;
  const at = [...path, "format"];
  const { nearest, words } = choices(checked.reporter, format, STRING_FORMATS);
  const { node } = follow(checked.root, at);
  const fix = nearest === undefined ? undefined : replaceText(checked.reporter.text, node, nearest);
  const message = `The format ${quote(format)} is not known, so values are not checked against it. ${words}`;
  reportAt(checked, at, { code: "unknown_format", message, fix });
}

function checkGracePeriods(checked: Checked): void {
  for (const [id, { gracePeriod }] of checked.draft.alerts ?? []) {
    if (gracePeriod === undefined || gracePeriod === "" || parseDuration(gracePeriod) !== undefined) continue;
    const message = `The grace_period ${quote(gracePeriod)} of ${short(id)} is no duration. Write it as 30s, 1m or 2m30s; units are ns, us, ms, s, m, h, d, y.`;
    const at = ["alerts", id, "grace_period"];
    const meant = gracePeriod
      .replace(/\s+/g, "")
      .toLowerCase()
      .replace(/sec(onds?)?|min(utes?)?|hours?|days?/g, (word) => word.charAt(0));
    const fix =
      parseDuration(meant) === undefined
        ? undefined
        : replaceText(checked.reporter.text, follow(checked.root, at).node, meant);
    reportAt(checked, at, { code: "bad_duration", message, fix });
  }
}

function checkStatus(checked: Checked): void {
  const status = checked.draft.telemetry?.get("status");
  const trail = follow(checked.root, ["telemetry", "status"]);
  if (status?.type === undefined || trail.node.kind !== "map") return;
  if (status.type === "string" && trail.node.entries.has("enum")) return;
  const message = "status is shown next to the device name: it should be a string with an enum.";
  checked.reporter.atKey(trail, { code: "status_style", message });
}
