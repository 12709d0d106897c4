// Reads a change that is asked for over a link, and how it ended.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { ERROR_CODES, type ErrorCode, type Refusal } from "#core/app-error.ts";
import type { AskedChange, ChangeOutcome } from "./asked-change.ts";
import {
  count,
  type Fields,
  LinkMistake,
  list,
  MAX_LONG_TEXT,
  moment,
  object,
  optionalText,
  text,
  texts,
  word,
} from "./message-fields.ts";

export function parseAskedChange(value: unknown): AskedChange {
  const given = object(value, "change");
  const operation = text(given, "operation");
  const asker = object(given["asker"], "asker");
  const params = Object.entries(object(given["params"], "params")).map(([name, param]) => {
    if (typeof param !== "string") throw new LinkMistake(`params.${name.slice(0, 40)} is no text`);
    return [name, param] as const;
  });
  return {
    id: text(given, "id"),
    operation,
    siteId: text(given, "siteId"),
    deviceId: optionalText(given, "deviceId"),
    params: Object.fromEntries(params),
    body: given["body"] === undefined ? undefined : object(given["body"], "body"),
    blueprintDigest: optionalText(given, "blueprintDigest"),
    base: object(given["base"], "base"),
    asker: {
      tokenId: text(asker, "tokenId"),
      tokenName: text(asker, "tokenName"),
      level: word(asker, "level", ACCESS_LEVELS),
      sites: asker["sites"] === "all" ? "all" : texts(asker, "sites"),
    },
    requestId: text(given, "requestId"),
    ...(given["leaseUntil"] !== undefined && { leaseUntil: moment(given, "leaseUntil") }),
    ...(given["expected"] !== undefined && { expected: count(given, "expected") }),
  };
}

export function parseOutcome(value: unknown): ChangeOutcome {
  const given = object(value, "outcome");
  const state = word(given, "state", ["DONE", "REFUSED", "OVERRULED"]);
  switch (state) {
    case "DONE":
      return { state, answer: given["answer"] === undefined ? undefined : object(given["answer"], "answer") };
    case "REFUSED":
      return { state, errors: list(given, "errors").map(parseRefusal) };
    case "OVERRULED":
      return { state, fields: texts(given, "fields") };
  }
}

function parseRefusal(value: unknown): Refusal {
  const given: Fields = object(value, "an error");
  const code = text(given, "code");
  const { details } = given;
  return {
    // A code of a later version has no status here.
    code: Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : "conflict",
    message: text(given, "message", MAX_LONG_TEXT),
    ...(details !== undefined && { details: object(details, "details") }),
  };
}
