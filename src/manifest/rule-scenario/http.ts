// What servers answer to the requests of a script, and which requests are expected.
import * as r from "#manifest/reader.ts";
import { expectedText } from "#manifest/scenario/expected.ts";
import { type HttpAnswer, httpAnswer } from "#manifest/scenario/peers.ts";

const request = r.keyOf(
  "request",
  "Write a method and an address, such as GET http://10.0.0.9/status; a * stands for anything.",
  (key) => (/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) https?:\/\/\S+$/.test(key) ? key : undefined),
);

/** silent: no answer comes, until the script's timeout. */
export type RequestAnswer = HttpAnswer | "silent";

/** One after the other, the last for good. */
export type RequestAnswers = ReadonlyMap<string, readonly RequestAnswer[]>;

export const requestAnswers = r.record(request, r.oneOrMore(r.wordOr("silent", "silent" as const, httpAnswer)));

const REQUEST = {
  request: r.must(expectedText, "A text that method and address contain, such as GET http://10.0.0.9/status."),
  body: r.may(expectedText, "A text that its body contains."),
} satisfies r.Fields;

export type ExpectedRequest = r.ReadFields<typeof REQUEST>;

export const expectedRequest = r.objectOr("expectation of a request", REQUEST, {
  field: "request",
  wanted: "a method and an address, or {request: POST http://10.0.0.9/set, body: on}",
});
