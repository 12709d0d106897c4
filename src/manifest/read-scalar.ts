import type { Fix } from "#core/blueprint/issue.ts";
import { BLUEPRINT_SPECS, OLD_SPEC } from "#core/blueprint/schema.ts";
import type { Raw, TextShape } from "#core/blueprint/shape.ts";
import { replaceSource, replaceText } from "./edits.ts";
import type { Reporter } from "./reporter.ts";
import type { Trail } from "./tree.ts";
import { choices, kindOf, nameOf, quote } from "./words.ts";

export function readText(reporter: Reporter, shape: TextShape, trail: Trail): string | undefined {
  const { node } = trail;
  if (node.kind !== "scalar" || typeof node.value !== "string") {
    const fix = node.kind === "scalar" ? replaceSource(node, JSON.stringify(node.text)) : undefined;
    return wrongType(reporter, trail, { wanted: "a text", hint: "Put it in quotes.", fix });
  }
  const { value } = node;
  if (shape.oneOf && !shape.oneOf.includes(value)) return reportUnknownValue(reporter, shape.oneOf, trail);
  if (shape.pattern && !shape.pattern.regex.test(value)) {
    const message = `${quote(value)} cannot be an alias. An alias is made of ${shape.pattern.words}.`;
    reporter.atValue(trail, { code: "bad_alias", message });
    return undefined;
  }
  if (shape.maxLength !== undefined && value.length > shape.maxLength) {
    const message = `This text has ${value.length} characters. It may have at most ${shape.maxLength}.`;
    reporter.atValue(trail, { code: "text_too_long", message });
    return undefined;
  }
  return value;
}

const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["no", false],
  ["off", false],
]);

/** What a text says about yes and no, if it does. */
export function flagOf(text: string): boolean | undefined {
  return FLAG_WORDS.get(text.toLowerCase());
}

export function readFlag(reporter: Reporter, trail: Trail): boolean | undefined {
  const { node } = trail;
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  const meant = node.kind === "scalar" ? flagOf(node.text) : undefined;
  const fix = meant === undefined ? undefined : replaceSource(node, String(meant));
  return wrongType(reporter, trail, { wanted: "true or false", hint: `Write ${meant}, without quotes.`, fix });
}

export function readNumber(reporter: Reporter, trail: Trail): number | undefined {
  const { node } = trail;
  if (node.kind === "scalar" && typeof node.value === "number" && Number.isFinite(node.value)) return node.value;
  const meant = node.kind === "scalar" && typeof node.value === "string" && /^-?\d+(\.\d+)?$/.test(node.value);
  const fix = meant ? replaceSource(node, node.value) : undefined;
  return wrongType(reporter, trail, { wanted: "a finite number", hint: "Leave the quotes out.", fix });
}

export function readRaw(reporter: Reporter, trail: Trail): Raw | undefined {
  const { node } = trail;
  if (node.kind === "scalar" && node.value !== null) return { value: node.value, text: node.text };
  return wrongType(reporter, trail, { wanted: "a text, a number, true or false" });
}

interface Mistake {
  readonly wanted: string;
  /** Said only when there is a fix. */
  readonly hint?: string;
  readonly fix?: Fix | undefined;
}

export function wrongType(reporter: Reporter, trail: Trail, { wanted, hint, fix }: Mistake): undefined {
  if (reporter.skips("wrong_type")) return undefined;
  const message = `${nameOf(trail)} must be ${wanted}, and is ${kindOf(trail.node)}.${fix && hint ? ` ${hint}` : ""}`;
  reporter.atValue(trail, { code: "wrong_type", message, fix });
  return undefined;
}

/** What other formats call the same. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["long", "integer"],
  ["number", "float"],
  ["double", "float"],
  ["decimal", "float"],
  ["real", "float"],
  ["bool", "boolean"],
  ["str", "string"],
  ["text", "string"],
  ["array", "array_of_strings"],
  ["list", "array_of_strings"],
  ["strings", "array_of_strings"],
  ["object", "json"],
  ["warn", "warning"],
  ["critical", "error"],
  ["fatal", "error"],
  ["admin", "system"],
  ["standalone", "embedded"],
]);

function unknownSpec(spec: string, known: readonly string[]): string {
  if (spec === OLD_SPEC)
    return `${quote(spec)} is an older manifest language. To convert the package to ${known.at(-1)}, run busbar blueprint convert DIR.`;
  const what = spec.startsWith("profile/")
    ? "is a profile, not a device. Put it into the folder of profiles (--profiles)."
    : `is no known manifest version. Known are ${known.join(", ")}.`;
  return `${quote(spec)} ${what}`;
}

function reportUnknownValue(reporter: Reporter, known: readonly string[], trail: Trail): undefined {
  const { node } = trail;
  if (node.kind !== "scalar") return undefined;
  if (known === BLUEPRINT_SPECS) {
    // Never a fix: a version is more than its name.
    reporter.atValue(trail, { code: "unknown_spec", message: unknownSpec(node.text, known) });
    return undefined;
  }
  if (reporter.skips("unknown_value")) return undefined;
  const other = OTHER_WORDS.get(node.text.toLowerCase());
  const { nearest, words } =
    other !== undefined && known.includes(other)
      ? { nearest: other, words: `Did you mean ${other}?` }
      : choices(reporter, node.text, known);
  const message = `${nameOf(trail)} cannot be ${quote(node.text)}. ${words}`;
  const fix = nearest === undefined ? undefined : replaceText(reporter.text, node, nearest);
  reporter.atValue(trail, { code: "unknown_value", message, fix });
  return undefined;
}
