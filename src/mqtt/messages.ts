// What devices send and receive, as JSON. All problems of a message are reported together, in words for the device's
// author.
import { RESPONSE_STATES, type ResponseState } from "#core/command/execution.ts";
import { wrapPayload } from "#core/command/response-payload.ts";
import {
  LOG_SEVERITIES,
  type LogMessage,
  parseSeverity,
  type ResponseMessage,
  type ValuesMessage,
} from "#core/device/device-message.ts";
import { type FineTime, fineTime } from "#core/time/instant.ts";
import type { DeviceConfiguration, OutgoingCommand } from "#service/ports/carrier.ts";
import { readJsonObject } from "./bounded-json.ts";

export type Parsed<Message> = { readonly message: Message } | { readonly problems: readonly string[] };

/** A larger number cannot be seconds, so it must be milliseconds. */
const YEAR_5000 = 95_617_584_000;
const MAX_ID = 128;
const MAX_NAMES = 5_000;

const STATES: ReadonlyMap<string, ResponseState> = new Map([
  ...RESPONSE_STATES.map((state): [string, ResponseState] => [state, state]),
  ["LOG", "IN_PROGRESS"],
  ["COMPLETED", "SUCCEEDED"],
]);

export function parseValues(payload: Uint8Array): Parsed<ValuesMessage> {
  return parse(payload, (members, problems) => {
    const takenAt = parseTimestamp(members.get("timestamp"), problems);
    members.delete("timestamp");
    if (members.size > MAX_NAMES) problems.push(`has ${members.size} values, more than ${MAX_NAMES}`);
    return { takenAt, values: members };
  });
}

export function parseLog(payload: Uint8Array): Parsed<LogMessage> {
  return parse(payload, (members, problems) => {
    const takenAt = parseTimestamp(members.get("timestamp"), problems);
    const text = members.get("message");
    const severity = members.get("severity") ?? "info";
    const persist = members.get("persist") ?? false;
    if (typeof text !== "string") problems.push(`message must be text, not ${named(text)}`);
    if (typeof persist !== "boolean") problems.push(`persist must be true or false, not ${named(persist)}`);
    const known = typeof severity === "string" ? parseSeverity(severity) : undefined;
    if (known === undefined) problems.push(`severity must be ${LOG_SEVERITIES.join(", ")}, not ${shown(severity)}`);
    return { takenAt, severity: known ?? "info", text: String(text), persist: persist === true };
  });
}

export function parseResponse(payload: Uint8Array, repeated: boolean): Parsed<ResponseMessage> {
  return parse(payload, (members, problems) => {
    const id = members.get("id");
    const name = members.get("state");
    const state = typeof name === "string" ? STATES.get(name.toUpperCase()) : undefined;
    if (typeof id !== "string" || id === "" || id.length > MAX_ID) {
      problems.push(`id must be the id of the request, not ${shown(id)}`);
    }
    if (state === undefined) problems.push(`state must be log, completed or error, not ${shown(name)}`);
    const known = state ?? "ERROR";
    return {
      executionId: String(id),
      state: known,
      payload: wrapPayload(known, members.get("payload")),
      repeated,
    };
  });
}

export function renderCommand(command: OutgoingCommand): string {
  return JSON.stringify({ id: command.id, name: command.name, arguments: command.arguments });
}

export function renderConfiguration(configuration: DeviceConfiguration): string {
  return JSON.stringify(Object.fromEntries(configuration));
}

function parse<Message>(
  payload: Uint8Array,
  read: (members: Map<string, unknown>, problems: string[]) => Message,
): Parsed<Message> {
  const found = readJsonObject(payload);
  if ("problem" in found) return { problems: [found.problem] };
  const problems: string[] = [];
  const message = read(found.members, problems);
  return problems.length > 0 ? { problems } : { message };
}

/** Seconds to milliseconds, exact to the microsecond: finer digits of a double of this size are noise. */
export function parseTimestamp(seconds: unknown, problems: string[]): FineTime | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  if (typeof seconds !== "number" || !Number.isFinite(seconds)) {
    problems.push(`timestamp must be Unix seconds, not ${shown(seconds)}`);
  } else if (seconds > YEAR_5000) problems.push(`timestamp must be Unix seconds; ${seconds} looks like milliseconds`);
  else if (seconds < 0) problems.push(`timestamp must not be before 1970, it is ${seconds}`);
  else return fineTime(Math.round(seconds * 1e6) / 1e3);
  return undefined;
}

function shown(value: unknown): string {
  return typeof value === "string" || typeof value === "number"
    ? JSON.stringify(String(value).slice(0, 64))
    : named(value);
}

function named(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value)
    ? "a list"
    : ({ object: "an object", string: "text" }[String(typeof value)] ?? `a ${typeof value}`);
}
