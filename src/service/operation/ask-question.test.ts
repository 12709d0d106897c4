import { expect, test } from "vitest";
import { askQuestion, queryTexts } from "./ask-question.ts";
import { siteOfPath } from "./find-place.ts";
import { type AnyCall, operation } from "./operation.ts";
import { dateTime, list, paging, parseQuery } from "./query.ts";
import { Type } from "./schema.ts";

test("a query is asked for as it was written", () => {
  const spec = { ...paging, names: list("names"), from: dateTime("from") };
  const given = { limit: "5", names: "a,b", from: "2026-11-18T10:00:00Z" };
  const texts = queryTexts(spec, parseQuery(spec, given));
  expect(parseQuery(spec, texts)).toEqual(parseQuery(spec, given));
});

const asked = operation({
  method: "GET",
  path: "/v3/sites/:site_id/things",
  name: "listThings",
  summary: "",
  tag: "",
  level: "readonly",
  answer: Type.Object({ things: Type.Array(Type.String()) }, { additionalProperties: false }),
  run: async () => ({}),
});

const answerOf = (answer: object) =>
  askQuestion(
    { ask: async () => answer as never },
    {
      operation: asked,
      call: { params: { site_id: "s" }, query: {}, signal: () => new AbortController().signal } as unknown as AnyCall,
      atGateway: { by: "question", place: siteOfPath },
      gatewayId: "g",
    },
  );

test("what a later version adds to an answer is left out", async () => {
  expect(await answerOf({ things: ["a"], more: 1 })).toEqual({ things: ["a"] });
});

test.each([{}, { things: "a" }, { things: [1] }])(
  "an answer %j that callers could not read is refused",
  async (answer) => {
    await expect(answerOf(answer)).rejects.toThrow("in a form that this cloud cannot read");
  },
);
