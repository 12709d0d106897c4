// Reads what came over a link. The other side is authenticated and yet not trusted: a message that does not fit ends the
// connection with the reason.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { LinkedSiteLevel, LinkedToken } from "./linked-token.ts";
import {
  count,
  type Fields,
  flag,
  hash,
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
import type { DownMessage, ExecutionOrder, LinkedPoints, LinkedTrace, UpMessage } from "./messages.ts";
import { parseAskedChange, parseAskedQuestion, parseOutcome, parseQuestionOutcome } from "./parse-change.ts";
import { parseChange, parseItems } from "./parse-item.ts";
import { MAX_REFUSED, type RefusedRecord, refusedRecord } from "./refused-record.ts";

/** `content`: the bytes that came with the message. */
export function parseUpMessage(value: unknown, content?: Uint8Array): UpMessage {
  const given = object(value, "a message");
  switch (given["type"]) {
    case "hello":
      return parseHello(given);
    case "records":
      return {
        type: "records",
        to: count(given, "to"),
        isWhole: flag(given, "isWhole"),
        isLast: flag(given, "isLast"),
        ...parseItems(list(given, "items")),
      };
    case "answer":
      return {
        type: "answer",
        id: text(given, "id"),
        refused: given["refused"] === null ? null : text(given, "refused", MAX_LONG_TEXT),
      };
    case "executions":
      return {
        type: "executions",
        changes: list(given, "changes").map(parseChange),
        unknown: texts(given, "unknown"),
      };
    case "connectivity":
      return {
        type: "connectivity",
        devices: list(given, "devices").map(parseConnectivity),
      };
    case "points":
      return { type: "points", number: count(given, "number"), messages: list(given, "messages").map(parsePoints) };
    case "packed":
      if (content === undefined) throw new LinkMistake("points come without their bytes");
      return { type: "packed", number: count(given, "number"), content };
    case "history":
      if (content === undefined) throw new LinkMistake("history comes without its bytes");
      return { type: "history", number: count(given, "number"), deviceId: text(given, "deviceId"), content };
    case "changed":
      return parseChanged(given);
    case "reply":
      return { type: "reply", id: text(given, "id"), outcome: parseQuestionOutcome(given["outcome"]) };
    case "want":
      return { type: "want", digest: text(given, "digest") };
    case "credential":
      return { type: "credential", hash: hash(given, "hash"), isUsed: flag(given, "isUsed") };
    case "leave":
      return { type: "leave" };
    default:
      throw new LinkMistake(`no message has the type ${String(given["type"]).slice(0, 40)}`);
  }
}

export function parseDownMessage(value: unknown, content?: Uint8Array): DownMessage {
  const given = object(value, "a message");
  switch (given["type"]) {
    case "welcome":
      return {
        type: "welcome",
        protocol: text(given, "protocol"),
        version: text(given, "version"),
        epoch: text(given, "epoch"),
        taken: given["taken"] === null ? null : count(given, "taken"),
        unpacks: flag(given, "unpacks"),
        ...(given["now"] !== undefined && { now: moment(given, "now") }),
        refused: parseRefused(given),
      };
    case "ack":
      return {
        type: "ack",
        to: count(given, "to"),
        ...(given["refused"] !== undefined && { refused: parseRefused(given) }),
      };
    case "execute":
      return { type: "execute", order: parseOrder(object(given["order"], "order")) };
    case "stored":
      return { type: "stored", number: count(given, "number"), unknown: texts(given, "unknown") };
    case "packed_stored":
      return { type: "packed_stored", number: count(given, "number") };
    case "ask":
      return { type: "ask", executions: texts(given, "executions") };
    case "change":
      return { type: "change", change: parseAskedChange(given["change"]), isLate: flag(given, "isLate") };
    case "question":
      return { type: "question", question: parseAskedQuestion(given["question"]) };
    case "package":
      if (content === undefined) throw new LinkMistake("a package comes without its bytes");
      return { type: "package", digest: text(given, "digest"), content };
    case "tokens":
      return { type: "tokens", tokens: list(given, "tokens").map(parseToken) };
    case "rotate":
      return { type: "rotate" };
    case "credential":
      return { type: "credential", hash: hash(given, "hash") };
    default:
      throw new LinkMistake(`no message has the type ${String(given["type"]).slice(0, 40)}`);
  }
}

const parseHello = (given: Fields): UpMessage => ({
  type: "hello",
  protocol: text(given, "protocol"),
  version: text(given, "version"),
  epoch: text(given, "epoch"),
});

const parseChanged = (given: Fields): UpMessage => ({
  type: "changed",
  id: text(given, "id"),
  outcome: parseOutcome(given["outcome"]),
  ...parseItems(list(given, "items")),
});

function parseConnectivity(pair: unknown): readonly [string, string] {
  const [deviceId, status] = Array.isArray(pair) ? pair : [];
  return [text({ deviceId }, "deviceId"), text({ status }, "status")];
}

function parseOrder(order: Fields): ExecutionOrder {
  return {
    id: text(order, "id"),
    deviceId: text(order, "deviceId"),
    createdAt: moment(order, "createdAt"),
    ephemeral: flag(order, "ephemeral"),
    name: text(order, "name"),
    arguments: object(order["arguments"], "arguments"),
    patienceMs: count(order, "patienceMs"),
    caller: text(order, "caller"),
    callerId: optionalText(order, "callerId"),
    scheduleId: optionalText(order, "scheduleId"),
    trace: order["trace"] === undefined ? undefined : parseTrace(order["trace"]),
  };
}

function parseRefused(given: Fields): readonly RefusedRecord[] {
  return list(given, "refused")
    .slice(0, MAX_REFUSED)
    .map((value) => {
      const one = object(value, "a refused record");
      return refusedRecord(text(one, "kind").slice(0, 20), text(one, "key"), text(one, "reason"));
    });
}

function parseTrace(value: unknown): LinkedTrace {
  const given = object(value, "trace");
  return { traceparent: text(given, "traceparent"), tracestate: optionalText(given, "tracestate") };
}

function parseToken(value: unknown): LinkedToken {
  const given = object(value, "a token");
  return {
    id: text(given, "id"),
    name: text(given, "name"),
    level: word(given, "level", GRANTED_LEVELS),
    createdAt: moment(given, "createdAt"),
    sites: given["sites"] === "all" ? "all" : texts(given, "sites"),
    ...(given["siteLevels"] !== undefined && { siteLevels: list(given, "siteLevels").map(parseSiteLevel) }),
    ...(given["isPerson"] !== undefined && flag(given, "isPerson") && { isPerson: true }),
    hash: hash(given, "hash"),
    expiresInMs: given["expiresInMs"] === undefined ? undefined : count(given, "expiresInMs"),
  };
}

function parseSiteLevel(value: unknown): LinkedSiteLevel {
  const given = object(value, "a level of a site");
  return { siteId: text(given, "siteId"), level: word(given, "level", GRANTED_LEVELS) };
}

/** A cloud grants no more than it could by a call. */
const GRANTED_LEVELS = ACCESS_LEVELS.filter((level) => level !== "system");

function parsePoints(value: unknown): LinkedPoints {
  const [deviceId, at, values] = Array.isArray(value) ? value : [];
  if (!Array.isArray(values)) throw new LinkMistake("messages has no points");
  return [text({ deviceId }, "deviceId"), moment({ at }, "at"), values.map(parsePoint)];
}

function parsePoint(pair: unknown): LinkedPoints[2][number] {
  const [attribute, value] = Array.isArray(pair) ? pair : [];
  const isValue =
    typeof value === "boolean" || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
  if (typeof attribute !== "string" || !isValue) throw new LinkMistake("a point has no value");
  return [attribute, value];
}
