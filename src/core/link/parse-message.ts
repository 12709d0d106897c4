// Reads what came over a link. The other side is authenticated and yet not trusted: a message that does not fit ends the
// connection with the reason.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import {
  type CommandResponse,
  EXECUTION_STATES,
  type Micros,
  type Payload,
  RESPONSE_STATES,
} from "#core/command/execution.ts";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { DEVICE_TYPES, type PropertyValue } from "#core/device/device.ts";
import type { Site } from "#core/site/site.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { DownMessage, LinkedBlueprint, LinkedDevice, LinkedItem, LinkedPoints, UpMessage } from "./messages.ts";

/** Why a message cannot be read. */
export class LinkMistake extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/** `content`: the bytes that came with the message. */
export function parseUpMessage(value: unknown, content?: Uint8Array): UpMessage {
  const given = object(value, "a message");
  switch (given["type"]) {
    case "hello":
      return {
        type: "hello",
        protocol: text(given, "protocol"),
        version: text(given, "version"),
        epoch: text(given, "epoch"),
      };
    case "records":
      return {
        type: "records",
        to: count(given, "to"),
        isWhole: flag(given, "isWhole"),
        isLast: flag(given, "isLast"),
        items: list(given, "items").map(parseItem),
      };
    case "answer":
      return {
        type: "answer",
        id: text(given, "id"),
        refused: given["refused"] === null ? null : text(given, "refused"),
      };
    case "told":
      return {
        type: "told",
        changes: list(given, "changes").map(parseChange),
        unknown: texts(given, "unknown"),
      };
    case "connectivity":
      return {
        type: "connectivity",
        devices: list(given, "devices").map((pair) => {
          const [deviceId, status] = Array.isArray(pair) ? pair : [];
          if (typeof deviceId !== "string" || typeof status !== "string") throw new LinkMistake("devices has no pairs");
          return [deviceId, status] as const;
        }),
      };
    case "points":
      return { type: "points", number: count(given, "number"), messages: list(given, "messages").map(parsePoints) };
    case "history":
      if (content === undefined) throw new LinkMistake("history comes without its bytes");
      return { type: "history", number: count(given, "number"), deviceId: text(given, "deviceId"), content };
    default:
      throw new LinkMistake(`no message has the type ${String(given["type"]).slice(0, 40)}`);
  }
}

export function parseDownMessage(value: unknown): DownMessage {
  const given = object(value, "a message");
  switch (given["type"]) {
    case "welcome":
      return {
        type: "welcome",
        protocol: text(given, "protocol"),
        version: text(given, "version"),
        taken: given["taken"] === null ? null : count(given, "taken"),
      };
    case "ack":
      return { type: "ack", to: count(given, "to") };
    case "execute": {
      const order = object(given["order"], "order");
      return {
        type: "execute",
        order: {
          id: text(order, "id"),
          deviceId: text(order, "deviceId"),
          createdAt: moment(order, "createdAt"),
          ephemeral: flag(order, "ephemeral"),
          name: text(order, "name"),
          arguments: object(order["arguments"], "arguments"),
          patienceMs: count(order, "patienceMs"),
          caller: text(order, "caller"),
        },
      };
    }
    case "stored":
      return { type: "stored", number: count(given, "number"), unknown: texts(given, "unknown") };
    case "ask":
      return { type: "ask", executions: texts(given, "executions") };
    default:
      throw new LinkMistake(`no message has the type ${String(given["type"]).slice(0, 40)}`);
  }
}

function parseItem(value: unknown): LinkedItem {
  const given = object(value, "an item");
  const key = text(given, "key");
  const content = given["value"];
  switch (given["kind"]) {
    case "site":
      return { kind: "site", key, value: content === null ? null : parseSite(object(content, "a site")) };
    case "blueprint":
      return {
        kind: "blueprint",
        key,
        value: content === null ? null : parseBlueprint(object(content, "a blueprint")),
      };
    case "device":
      return { kind: "device", key, value: content === null ? null : parseDevice(object(content, "a device")) };
    case "properties":
      return { kind: "properties", key, value: list(given, "value").map(parseProperty) };
    case "execution":
      return { kind: "execution", key, value: parseChange(content) };
    default:
      throw new LinkMistake(`no item has the kind ${String(given["kind"]).slice(0, 40)}`);
  }
}

function parsePoints(value: unknown): LinkedPoints {
  const [deviceId, at, values] = Array.isArray(value) ? value : [];
  if (typeof deviceId !== "string" || !Array.isArray(values)) throw new LinkMistake("messages has no points");
  return [deviceId, moment({ at }, "at"), values.map(parsePoint)];
}

function parsePoint(pair: unknown): LinkedPoints[2][number] {
  const [attribute, value] = Array.isArray(pair) ? pair : [];
  const isValue =
    typeof value === "boolean" || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
  if (typeof attribute !== "string" || !isValue) throw new LinkMistake("a point has no value");
  return [attribute, value];
}

function parseSite(given: Fields): Site {
  const location = given["location"] === undefined ? undefined : object(given["location"], "a location");
  return {
    id: text(given, "id"),
    name: text(given, "name"),
    timezone: text(given, "timezone"),
    ...(location !== undefined && {
      location: {
        name: text(location, "name"),
        ...(location["latitude"] !== undefined && { latitude: number(location, "latitude") }),
        ...(location["longitude"] !== undefined && { longitude: number(location, "longitude") }),
      },
    }),
    createdAt: moment(given, "createdAt"),
    updatedAt: moment(given, "updatedAt"),
  };
}

function parseBlueprint(given: Fields): LinkedBlueprint {
  return { digest: text(given, "digest"), content: text(given, "content") };
}

function parseDevice(given: Fields): LinkedDevice {
  return {
    id: text(given, "id"),
    siteId: text(given, "siteId"),
    name: text(given, "name"),
    slug: text(given, "slug"),
    type: word(given, "type", DEVICE_TYPES),
    blueprintDigest: optionalText(given, "blueprintDigest"),
    parentId: optionalText(given, "parentId"),
    childType: optionalText(given, "childType"),
    createdAt: moment(given, "createdAt"),
    updatedAt: moment(given, "updatedAt"),
  };
}

function parseProperty(value: unknown): PropertyValue {
  const given = object(value, "a property");
  return { name: text(given, "name"), value: given["value"], receivedAt: moment(given, "receivedAt") };
}

function parseChange(value: unknown): ExecutionChange {
  const given = object(value, "a change of an execution");
  const execution = object(given["execution"], "execution");
  const request = object(execution["request"], "request");
  const leftOut = given["leftOut"] === undefined ? undefined : object(given["leftOut"], "leftOut");
  return {
    execution: {
      id: text(execution, "id"),
      deviceId: text(execution, "deviceId"),
      siteId: text(execution, "siteId"),
      state: word(execution, "state", EXECUTION_STATES),
      ephemeral: flag(execution, "ephemeral"),
      createdAt: moment(execution, "createdAt"),
      request: {
        name: text(request, "name"),
        manifestName: text(request, "manifestName"),
        arguments: object(request["arguments"], "arguments"),
      },
      response: execution["response"] === undefined ? undefined : parseResponse(execution["response"]),
      readLevel: word(execution, "readLevel", ACCESS_LEVELS),
      deadline: moment(execution, "deadline"),
      revision: count(execution, "revision"),
      isRemote: flag(execution, "isRemote"),
    },
    responses: list(given, "responses").map(parseResponse),
    since: count(given, "since"),
    leftOut: leftOut && { count: count(leftOut, "count"), at: count(leftOut, "at") as Micros },
  };
}

function parseResponse(value: unknown): CommandResponse {
  const given = object(value, "a response");
  return {
    state: word(given, "state", RESPONSE_STATES),
    payload: given["payload"] === undefined ? undefined : object(given["payload"], "payload"),
    receivedAt: count(given, "receivedAt") as Micros,
  };
}

function object(value: unknown, name: string): Payload {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new LinkMistake(`${name} is no object`);
  return value as Payload;
}

function list(given: Fields, name: string): readonly unknown[] {
  const value = given[name];
  if (!Array.isArray(value)) throw new LinkMistake(`${name} is no list`);
  return value;
}

function text(given: Fields, name: string): string {
  const value = given[name];
  if (typeof value !== "string") throw new LinkMistake(`${name} is no text`);
  return value;
}

function optionalText(given: Fields, name: string): string | undefined {
  return given[name] === undefined ? undefined : text(given, name);
}

function texts(given: Fields, name: string): readonly string[] {
  const values = list(given, name);
  if (!values.every((value) => typeof value === "string")) throw new LinkMistake(`${name} is no list of texts`);
  return values;
}

function word<Word extends string>(given: Fields, name: string, allowed: readonly Word[]): Word {
  const value = text(given, name);
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new LinkMistake(`${name} is none of ${allowed.join(", ")}`);
  return found;
}

function flag(given: Fields, name: string): boolean {
  const value = given[name];
  if (typeof value !== "boolean") throw new LinkMistake(`${name} is neither true nor false`);
  return value;
}

function number(given: Fields, name: string): number {
  const value = given[name];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new LinkMistake(`${name} is no number`);
  return value;
}

function count(given: Fields, name: string): number {
  const value = number(given, name);
  if (!Number.isSafeInteger(value) || value < 0) throw new LinkMistake(`${name} is no count`);
  return value;
}

/** Milliseconds that a Date can hold. */
const FARTHEST = 8.64e15;

function moment(given: Fields, name: string): Instant {
  const value = number(given, name);
  if (Math.abs(value) > FARTHEST) throw new LinkMistake(`${name} is no time`);
  return instant(value);
}
