// The text of a rule, and what can be said of it without reading it as YAML. Pure.
import type { NewRuleScript, Rule } from "#client/resources.ts";
import { slugOf } from "#core/device/slug.ts";

export type Language = Rule["script"]["language"];

/** Base64 of UTF-8. What is no base64 is empty: the server sends none. */
export function textOf(code: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(code), (sign) => sign.charCodeAt(0)));
  } catch {
    return "";
  }
}

export function codeOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let signs = "";
  // A call with a hundred thousand arguments is refused.
  for (let at = 0; at < bytes.length; at += 8_192) signs += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(signs);
}

export function scriptOf(text: string, language: Language, interval: string | undefined): NewRuleScript {
  const script = { code: codeOf(text), runtime_version: "V3", language } as const;
  return interval === undefined || interval.trim() === "" || language === "yaml"
    ? script
    : { ...script, exec_interval: interval.trim() };
}

const NAME =
  /^name:[ \t]+(?:"((?:[^"\\\n]|\\.){0,200})"|'((?:[^'\n]|''){0,200})'|([^\s"'&*!|>%@`#[{][^#\n]{0,200}?))[ \t]{0,50}(?:#.*)?\r?$/m;
/** What a rule in YAML calls itself on a line of its own; otherwise its slug. */
export function nameOf({ slug, script }: Pick<Rule, "slug" | "script">): string {
  if (script.language !== "yaml") return slug;
  const [, double, single, plain] = NAME.exec(textOf(script.code)) ?? [];
  const name = (double?.replaceAll(/\\(.)/g, "$1") ?? single?.replaceAll("''", "'") ?? plain ?? "").trim();
  return name === "" ? slug : name;
}

/** A first slug for a rule of this name. `known` are those of the site. */
export function ruleSlug(name: string, known: readonly string[]): string {
  const base = /[a-z0-9]/i.test(name) ? name : "rule";
  for (let ordinal = 1; ; ordinal += 1) {
    const slug = slugOf(base, ordinal);
    if (!known.includes(slug)) return slug;
  }
}
