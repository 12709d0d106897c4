import { expect, test } from "vitest";
import { parseAskedChange, parseAskedQuestion } from "./parse-change.ts";

const ASKER = { tokenId: "t", tokenName: "Anna", level: "owner", sites: "all" };
const CHANGE = { id: "c", operation: "updateDevice", siteId: "s", params: {}, base: {}, requestId: "r", asker: ASKER };
const QUESTION = { id: "q", operation: "getRule", params: {}, query: {}, requestId: "r", patienceMs: 5, asker: ASKER };

test.each([undefined, {}, { name: "Pump" }])("a change and a question keep their body, %j", (body) => {
  expect(parseAskedChange({ ...CHANGE, body }).body).toEqual(body);
  expect(parseAskedQuestion({ ...QUESTION, body }).body).toEqual(body);
});

test.each([null, 5, "text", []])("a body that is %j is a mistake", (body) => {
  expect(() => parseAskedChange({ ...CHANGE, body })).toThrow("body");
  expect(() => parseAskedQuestion({ ...QUESTION, body })).toThrow("body");
});
