// Reads a change that is asked for over a link, and how it ended.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { ERROR_CODES, type ErrorCode, type Refusal } from "#core/app-error.ts";
import type { AskedChange, ChangeOutcome } from "./asked-change.ts";
import { type AskedQuestion, LONGEST_PATIENCE_MS, type QuestionOutcome } from "./asked-question.ts";
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
  return {
    id: text(given, "id"),
    operation,
    siteId: text(given, "siteId"),
    deviceId: optionalText(given, "deviceId"),
    params: parseTexts(given, "params"),
    body: given["body"] === undefined ? undefined : object(given["body"], "body"),
    blueprintDigest: optionalText(given, "blueprintDigest"),
    base: object(given["base"], "base"),
    asker: parseAsker(given["asker"]),
    requestId: text(given, "requestId"),
    ...(given["leaseUntil"] !== undefined && { leaseUntil: moment(given, "leaseUntil") }),
    ...(given["expected"] !== undefined && { expected: count(given, "expected") }),
  };
}

export function parseAskedQuestion(value: unknown): AskedQuestion {
  const given = object(value, "question");
  return {
    id: text(given, "id"),
    operation: text(given, "operation"),
    params: parseTexts(given, "params"),
    query: parseTexts(given, "query"),
    body: given["body"] === undefined ? undefined : object(given["body"], "body"),
    asker: parseAsker(given["asker"]),
    requestId: text(given, "requestId"),
    patienceMs: Math.min(count(given, "patienceMs"), LONGEST_PATIENCE_MS),
  };
}

function parseTexts(given: Fields, field: string): Readonly<Record<string, string>> {
  const all = Object.entries(object(given[field], field)).map(([name, one]) => {
    if (typeof one !== "string") throw new LinkMistake(`${field}.${name.slice(0, 40)} is no text`);
    return [name, one] as const;
  });
  return Object.fromEntries(all);
}

function parseAsker(value: unknown): AskedChange["asker"] {
  const asker = object(value, "asker");
  return {
    tokenId: text(asker, "tokenId"),
    tokenName: text(asker, "tokenName"),
    level: word(asker, "level", ACCESS_LEVELS),
    sites: asker["sites"] === "all" ? "all" : texts(asker, "sites"),
  };
}

export function parseQuestionOutcome(value: unknown): QuestionOutcome {
  const outcome = parseOutcome(value);
  if (outcome.state === "OVERRULED") throw new LinkMistake("an answer to a question is not overruled");
  return outcome;
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
