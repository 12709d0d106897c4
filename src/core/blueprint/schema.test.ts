import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { renderJsonSchema } from "./schema.ts";

const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(renderJsonSchema());

/** The examples of the documentation, which differ from a valid manifest in one point each. */
const EXAMPLES = [...readFileSync("docs/blueprint-issues.md", "utf8").matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(
  ([, text = ""]) => text,
);

/** What a schema of single values can see. References between them are the validator's own. */
const SEEN = new Set([
  "unknown_key",
  "missing_key",
  "empty_value",
  "wrong_type",
  "unknown_value",
  "unknown_spec",
  "bad_id",
  "bad_alias",
  "text_too_long",
]);
const UNREADABLE = new Set([
  "yaml_syntax",
  "empty_document",
  "several_documents",
  "unknown_anchor",
  "duplicate_key",
  "key_not_text",
  "bad_merge",
]);

const READABLE = EXAMPLES.filter((text) => !parseManifest(text).issues.some((issue) => UNREADABLE.has(issue.code)));

test("the documentation has examples of both kinds", () => {
  expect(READABLE.length).toBeGreaterThan(20);
});

test.each(READABLE)("the JSON Schema and the validator agree about %j", (text) => {
  const refused = parseManifest(text).issues.some((issue) => SEEN.has(issue.code));
  expect(validate(parse(text))).toBe(!refused);
});

test("the JSON Schema knows the whole language", () => {
  const manifest = {
    blueprint_spec: "device/3.0",
    ".cloud": [1, { x: null }],
    implements: ["a.b"],
    implements_draft: "c.d",
    category: "sensors",
    display_name: "D",
    description: "d",
    icon: "i",
    runtime: {
      type: "lua",
      options: { dir: "src", luarocks: ["x"], amalg_mode: ["isolate"], allow_dev_luarocks: true },
      requirements: [],
    },
    properties: { p: { type: "json", display_name: "P", json_schema: "{}", implements: "a.b.c", ".x": 1 } },
    telemetry: {
      t: { type: "alerts", display_name: "T", aliases: "u", enum: { a: { color: "red-darker" } }, auto_scale: ["W"] },
    },
    command_groups: { g: { display_name: "G", ui: { icon: "x" } } },
    commands: {
      c: {
        group: "g",
        display_name: "C",
        arguments: {
          a: { type: "float", display_name: "A", min: 1, max: 2, default: 1.5, enum: [1, 1.5], sensitive: true },
        },
        response: { "any name": { type: "string" } },
        ui: { quick_access: true },
        confirmation: { severity: "info", title: "T" },
        populate_values_command: "c",
      },
    },
    alerts: {
      "1-a": { severity: "error", display_name: "A", grace_period: "1m", troubleshooting: ["x"], telemetry: ["t"] },
    },
    author: "a",
    contributors: ["b"],
    support: { url: "u", email: "e" },
    license: "MIT",
    units: { "any name": { symbol: "s" } },
    configuration: {
      b: { display_name: "B", parameters: { p: { type: "boolean", display_name: "P", default: true } } },
    },
  };
  expect(validate(manifest), JSON.stringify(validate.errors)).toBe(true);
  expect(parseManifest(JSON.stringify(manifest)).issues).toEqual([]);
});

test("every field of the JSON Schema has a description, for editors to show", () => {
  const bare: string[] = [];
  const look = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "properties") {
        for (const [name, field] of Object.entries(Object(value))) {
          if (name !== "<<" && !Object.hasOwn(Object(field), "description")) bare.push(`${path}/${name}`);
          look(field, `${path}/${name}`);
        }
      } else if (typeof value === "object" && value !== null) {
        for (const inner of [value, ...Object.values(value)]) look(inner, path);
      }
    }
  };
  look(renderJsonSchema(), "");
  expect(bare).toEqual([]);
});
