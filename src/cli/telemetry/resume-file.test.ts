import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findEnd } from "./resume-file.ts";

test.each([
  ["nothing", "", "wide", undefined],
  ["a header alone", "ts,telemetry=power\n", "wide", undefined],
  ["whole rows", "ts,p\n1,5\n2.500,6\n", "wide", { from: 2_501, length: 17 }],
  ["a row that is cut off", "ts,p\n1,5\n2.500,6\n3,", "wide", { from: 2_501, length: 17 }],
  ["local times", "ts,p\n2026-03-29T03:00:00.000+02:00,5\n", "wide", { from: 1_774_746_000_001, length: 37 }],
  ["JSON lines", '{"ts":1.5,"p":2}\n{"ts":"2026', "wide", { from: 1_501, length: 17 }],
  ["rows of one moment", "ts,device,telemetry,value\n1,a,p,1\n2,a,p,1\n2,a,q,1\n", "long", { from: 2_000, length: 34 }],
] as const)("a file with %s goes on where it ended", async (_, content, shape, expected) => {
  const file = join(tempFolder(), "file");
  writeFileSync(file, content);
  expect(await findEnd(file, shape)).toEqual(expected);
});
