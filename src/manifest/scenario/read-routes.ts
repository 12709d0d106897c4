import type { HttpAnswer } from "#core/scenario/scenario.ts";
import type { Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";
import { byteString } from "./read-bytes.ts";
import {
  anything,
  duration,
  integer,
  mapReader,
  may,
  type Reader,
  type ScenarioContext,
  text,
  withDefault,
} from "./reader.ts";
import { byForm, object, oneOrMore, recordOf, textRecord } from "./reader-shapes.ts";

const answerFields = object("answer", {
  code: withDefault(integer(100, 599), 200, "Status. Default: 200."),
  body: withDefault(text, "", "Body as text."),
  json: may(anything, "Body as JSON."),
  headers: withDefault(textRecord("header", text), new Map(), "Headers by name."),
  delay: may(duration, "How long the answer takes."),
  error: may(text, "The request fails with this text."),
});

const httpAnswer: Reader<HttpAnswer> = byForm<HttpAnswer>({
  scalar: mapReader(integer(100, 599), (code) => ({
    code,
    body: "",
    headers: new Map(),
    delay: undefined,
    error: undefined,
  })),
  map: mapReader(answerFields, ({ body, json, headers, ...rest }) => ({
    ...rest,
    body: byteString(json === undefined ? body : JSON.stringify(json)),
    headers: withType(headers, json === undefined ? "text/plain" : "application/json"),
  })),
  wanted: "a status such as 204, or an answer such as {json: {power: 5}}",
});

function withType(headers: ReadonlyMap<string, string>, type: string): ReadonlyMap<string, string> {
  const hasType = [...headers.keys()].some((name) => name.toLowerCase() === "content-type");
  return hasType ? headers : new Map([...headers, ["content-type", type]]);
}

const ROUTE = /^[A-Z]+ \/\S*$/;

function routeKey(context: ScenarioContext, trail: Trail): string | undefined {
  const route = String(trail.step);
  if (ROUTE.test(route)) return route;
  const message = `${quote(route)} is no route. Write a method and a path, such as GET /status.`;
  context.reporter.atKey(trail, { code: "bad_id", message });
  return undefined;
}

/** Answers of a web service by method and path. */
export const routes: Reader<ReadonlyMap<string, readonly HttpAnswer[]>> = recordOf({
  keys: "route",
  key: routeKey,
  value: () => oneOrMore(httpAnswer),
  schema: oneOrMore(httpAnswer).schema,
});
