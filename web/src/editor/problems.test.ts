import { expect, test } from "vitest";
import { createManifestTools } from "#web/blueprints/manifest-tools.ts";
import { countOf, problemsOf } from "./problems.ts";

const TEXT = `blueprint_spec: device/3.0
display_name: Pump
runtime: {type: embedded}
telemetry:
  flow: {type: float, uint: m3/h, display_name: Flow}
  heat: {type: float, unit: C, display_name: Heat}
`;
const { issues } = createManifestTools().check({ manifest: TEXT, files: undefined });

test("problems lie where the words are, errors first", () => {
  const problems = problemsOf(TEXT, issues);
  expect(problems.map(({ code, from, to, line }) => [code, TEXT.slice(from, to), line])).toEqual([
    ["unknown_key", "uint", 5],
    ["ambiguous_unit", "C", 6],
  ]);
  expect(countOf(problems)).toEqual({ errors: 1, warnings: 1 });
  expect(problems[0]?.fix?.title).toBe("Rename to unit");
});

test("what the service says beside it is added once, with the file that it is about", () => {
  const [first] = issues;
  const same = {
    severity: "error",
    code: "unknown_key",
    message: first?.message ?? "",
    path: "/x",
    line: 5,
    column: 23,
    end_line: 5,
    end_column: 24,
  } as const;
  const script = {
    severity: "error",
    code: "lua_syntax",
    message: "near end",
    path: "main.lua",
    line: 9,
    column: 1,
    end_line: 9,
    end_column: 2,
  } as const;
  const problems = problemsOf(TEXT, issues, [same, script]);
  expect(problems.map(({ code, file, line }) => [code, file, line])).toEqual([
    ["unknown_key", undefined, 5],
    ["lua_syntax", "main.lua", 9],
    ["ambiguous_unit", undefined, 6],
  ]);
});

test("a place behind the end of the text is its end", () => {
  const far = {
    severity: "error",
    code: "x",
    message: "",
    path: "",
    line: 99,
    column: 9,
    end_line: 99,
    end_column: 9,
  } as const;
  expect(problemsOf("ab", [], [far])).toMatchObject([{ from: 2, to: 2 }]);
});
