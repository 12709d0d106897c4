import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ISSUE_CODES, type IssueCode } from "#core/blueprint/issue.ts";
import type { ManifestContext } from "#manifest/manifest-context.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { applyFix } from "./apply-fix.ts";
import { DEMO_LIBRARY } from "./demo-profiles.ts";

interface Example {
  readonly code: string;
  readonly intro: string;
  readonly text: string;
  readonly info: ReadonlyMap<string, string>;
}

const PAGE = readFileSync(new URL("../../docs/blueprint-issues.md", import.meta.url), "utf8");

/** Sections of the page. The fence says `repeat=n` for the last line, `package=files`, `profiles`, `also=other codes`. */
const EXAMPLES: readonly Example[] = PAGE.split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const code = section.slice(0, section.indexOf("\n"));
    const intro = section.slice(0, section.indexOf("```"));
    return [...section.matchAll(/^```yaml ?([^\n]*)\n([\s\S]*?)^```/gm)].map(([, words = "", yaml = ""]) => {
      const info = new Map(
        words.split(" ").map((word): [string, string] => [word.split("=")[0] ?? "", word.split("=")[1] ?? ""]),
      );
      const lines = yaml.replace(/\n$/, "").split("\n");
      const last = lines.pop() ?? "";
      const text = [...lines, ...Array<string>(Number(info.get("repeat") ?? 1)).fill(last), ""].join("\n");
      return { code, intro, text, info };
    });
  });

function contextOf(info: ReadonlyMap<string, string>): ManifestContext {
  const files = info.get("package")?.split(",");
  return {
    ...(files ? { files: { has: (path: string) => files.includes(path), read: () => undefined } } : {}),
    ...(info.has("profiles") ? { profiles: DEMO_LIBRARY } : {}),
  };
}

test("every code has an example on the page, and the page has no other codes", () => {
  expect(new Set(EXAMPLES.map((example) => example.code))).toEqual(new Set(Object.keys(ISSUE_CODES)));
});

test.each(EXAMPLES)("$code: the example raises it, and nothing else", ({ code, intro, text, info }) => {
  const { issues, blueprint } = parseManifest(text, contextOf(info));
  const expected = [code, ...(info.get("also")?.split(",") ?? [])];
  expect(new Set(issues.map((issue) => issue.code))).toEqual(new Set(expected));
  const { severity, summary } = ISSUE_CODES[code as IssueCode];
  expect(intro.toLowerCase()).toContain(`*${severity}.*`);
  expect(intro).toContain(summary);
  if (severity === "error") expect(blueprint).toBeUndefined();
});

test.each(EXAMPLES)("$code: where a fix is offered, its result is free of the code", ({ code, text, info }) => {
  const context = contextOf(info);
  const [issue] = parseManifest(text, context).issues.filter((each) => each.code === code);
  if (issue?.fix === undefined) {
    expect(FIXABLE).not.toContain(code);
    return;
  }
  const codes = parseManifest(applyFix(text, issue.fix), context).issues.map((each) => each.code);
  // One fix corrects one place; the example of enum values has two.
  const others = codes.filter((each) => each === code).length;
  expect(others).toBeLessThan(parseManifest(text, context).issues.filter((each) => each.code === code).length);
});

/** Codes whose example must come with a fix. */
const FIXABLE: readonly string[] = [
  "unknown_key",
  "missing_key",
  "empty_value",
  "wrong_type",
  "unknown_value",
  "unknown_group",
  "unknown_command",
  "min_above_max",
  "bad_duration",
  "enum_value_converted",
  "default_converted",
  "default_not_in_enum",
  "unknown_unit",
  "ambiguous_unit",
  "unknown_telemetry",
  "unknown_format",
  "unknown_profile",
];
