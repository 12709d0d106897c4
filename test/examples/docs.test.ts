import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PACKAGE_ISSUE_CODES } from "#core/blueprint/package-issue.ts";
import { SCRIPT_ISSUE_CODES } from "#core/blueprint/script-issue.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseProfile } from "#manifest/parse-profile.ts";
import { STARTER_PROFILES, starterLibrary } from "#manifest/starter-profiles.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
const yamlBlocks = (name: string) => [...page(name).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = ""]) => block);

test("the guide explains every code of a package", () => {
  for (const [code, summary] of Object.entries(PACKAGE_ISSUE_CODES)) {
    expect(page("blueprints")).toContain(`| \`${code}\` | ${summary.replace("manifest.yml", "`manifest.yml`")} |`);
  }
});

test("the page on Lua explains every code of a script", () => {
  const rows = [...page("lua").matchAll(/^\| `((?:lua|rock|modbus)\w*)` \| (error|warning) \| (.*) \|$/gm)];
  expect(rows.map(([, code, severity, summary]) => [code, { severity, summary }])).toEqual(
    Object.entries(SCRIPT_ISSUE_CODES),
  );
});

test("the page of profiles names the whole library and nothing else", () => {
  const named = [...page("profiles").matchAll(/^\| `([\w.]+)` \|/gm)].map(([, id]) => id);
  expect(named.sort()).toEqual(STARTER_PROFILES.map(({ id }) => id).sort());
});

test.each(yamlBlocks("blueprints"))("a manifest of the guide has no problems: %s", (block) => {
  const head = "blueprint_spec: device/3.0\ndisplay_name: Guide\nruntime: {type: embedded}\n";
  const text = block.includes("blueprint_spec") ? block : head + block;
  expect(parseManifest(text, { profiles: starterLibrary() }).issues).toEqual([]);
});

test("the profile of the page of profiles has no problems", () => {
  const block = yamlBlocks("profiles").find((one) => one.startsWith("display_name: Pump")) ?? "";
  expect(parseProfile("pump", block, new Set(starterLibrary().ids())).issues).toEqual([]);
});
