import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import type {
  Expectations,
  ExpectedJson,
  ExpectedLine,
  ExpectedMessage,
  ExpectedOutput,
  ExpectedRequest,
  PeerKind,
  Placed,
} from "#core/scenario/scenario.ts";
import type { Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";
import { frameData, serialBytes } from "./read-bytes.ts";
import { expectedText, expectedValue, yes } from "./read-expected-value.ts";
import { frameId } from "./read-peer.ts";
import { expectedWrites } from "./read-writes.ts";
import {
  mapReader,
  may,
  must,
  oneOf,
  type PeerHint,
  placed,
  type Reader,
  type ScenarioContext,
  text,
  withDefault,
  wordOr,
  wrong,
} from "./reader.ts";
import {
  byForm,
  knownKey,
  listOf,
  namedRecord,
  nameIn,
  object,
  oneOrMore,
  recordOf,
  textRecord,
} from "./reader-shapes.ts";

/** Names that telemetry may come under. Every device may send alerts. */
function telemetryNames({ blueprint }: ScenarioContext): readonly string[] {
  return [...names(blueprint.telemetry), "alerts"];
}

function names(declared: Blueprint["telemetry"] | Blueprint["properties"]): readonly string[] {
  return [...declared.values()].flatMap(({ id, aliases }) => [id, ...aliases]);
}

const alertName = nameIn("alert", ({ blueprint }) => blueprint.alerts.keys());

const alerts = byForm<AlertExpectation>({
  list: mapReader(listOf(alertName), (active) => ({ active, raised: [], cleared: [] })),
  scalar: mapReader(oneOf(["none"]), () => ({ active: [], raised: [], cleared: [] })),
  map: object("expectation of alerts", {
    active: may(listOf(alertName), "Exactly these are active at the end of the step."),
    raised: withDefault(oneOrMore(placed(alertName)), [], "These became active during the step."),
    cleared: withDefault(oneOrMore(placed(alertName)), [], "These were active and are no longer."),
  }),
  wanted: "a list of the active alerts, none, or {raised: ..., cleared: ...}",
});

interface AlertExpectation {
  readonly active: readonly string[] | undefined;
  readonly raised: readonly Placed<string>[];
  readonly cleared: readonly Placed<string>[];
}

const response = textRecord("field of the response", placed(expectedValue));

const lineFields = object("log line", {
  text: withDefault(expectedText, { kind: "present" }, "A text that the line contains."),
  severity: may(oneOf(LOG_SEVERITIES), "How bad it is."),
});

const line: Reader<ExpectedLine> = byForm<ExpectedLine>({
  scalar: mapReader(expectedText, (value) => ({ text: value, severity: undefined })),
  map: { schema: lineFields.schema, read: readLine },
  wanted: "a text, or {severity: warning, text: ...}",
});

/** `{matches: ...}` is a text too. */
function readLine(context: ScenarioContext, trail: Trail): ExpectedLine | undefined {
  const isFields = trail.node.kind === "map" && (trail.node.entries.has("text") || trail.node.entries.has("severity"));
  if (isFields) return lineFields.read(context, trail);
  const value = expectedText.read(context, trail);
  return value && { text: value, severity: undefined };
}

/** An object lists fields, each with its own expectation. */
const expectedJson: Reader<ExpectedJson> = byForm<ExpectedJson>({
  scalar: expectedValue,
  list: expectedValue,
  map: mapReader(textRecord("field", expectedValue), (fields) => ({ kind: "fields", fields }) as const),
  wanted: "what the JSON holds",
});

const requestFields = object("request", {
  request: must(text, "Method and path, such as POST /limit."),
  body: may(expectedText, "The body as text."),
  json: may(expectedJson, "The body as JSON; fields that are not listed may be there as well."),
  headers: withDefault(textRecord("header", expectedText), new Map(), "Headers by name."),
});

const request: Reader<ExpectedRequest> = {
  schema: { anyOf: [{ type: "string" }, requestFields.schema] },
  read: (context, trail) => {
    const isText = trail.node.kind === "scalar";
    const given = isText ? undefined : requestFields.read(context, trail);
    const words = isText ? text.read(context, trail) : given?.request;
    if (words === undefined) return undefined;
    const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(words) ?? [];
    if (method === undefined || path === undefined) {
      return wrong(context, trail, "a method and a path, such as POST /limit");
    }
    const headers = new Map([...(given?.headers ?? [])].map(([name, value]) => [name.toLowerCase(), value]));
    return { method, path, body: given?.body, json: given?.json, headers };
  },
};

const frame = object("frame", { id: must(frameId, "Identifier, such as 0x351."), data: must(frameData, "Its bytes.") });

const message: Reader<ExpectedMessage> = object("message", {
  topic: must(text, "Its topic."),
  payload: may(expectedText, "The payload as text."),
  json: may(expectedJson, "The payload as JSON; fields that are not listed may be there as well."),
});

const output: Reader<ExpectedOutput> = byForm<ExpectedOutput>({
  scalar: mapReader(oneOf(["closed", "open", "high", "low"]), (word) => ({
    isClosed: word === "closed" ? true : word === "open" ? false : undefined,
    isHigh: word === "high" ? true : word === "low" ? false : undefined,
    volts: undefined,
    amps: undefined,
  })),
  map: mapReader(
    object("output", { volts: may(expectedValue, "Voltage."), amps: may(expectedValue, "Current.") }),
    ({ volts, amps }) => ({ isClosed: undefined, isHigh: undefined, volts, amps }),
  ),
  wanted: "closed, open, high, low, or {volts: 5}",
});

/** By peer, and only peers of these kinds. */
function byPeer<T>(kinds: readonly PeerKind[], value: (hint: PeerHint) => Reader<T>): Reader<ReadonlyMap<string, T>> {
  const known = ({ peers }: ScenarioContext) =>
    [...peers].filter(([, hint]) => kinds.includes(hint.kind)).map(([name]) => name);
  return recordOf({
    keys: "peer",
    key: knownKey(`${kinds.join(" or ")} peer`, known),
    value: ({ peers }, name) => value(peers.get(name) ?? NO_HINT),
    schema: value(NO_HINT).schema,
  });
}

const NO_HINT: PeerHint = { kind: "modbus", words: "big", unit: 1 };

/** What peers of a kind got, in this order, or `nothing`. */
function callsOf<T>(kind: PeerKind, call: Reader<T>) {
  return byPeer([kind], () => placed(wordOr(NOTHING, oneOrMore(placed(call)))));
}

const NOTHING = { word: "nothing", meaning: "nothing" } as const;
const byName = new Map<string, never>();

const fields = object("expectation", {
  telemetry: withDefault(
    namedRecord("telemetry attribute", telemetryNames, placed(expectedValue)),
    byName,
    "What the script sent in this step, by attribute: the last value, or absent.",
  ),
  properties: withDefault(
    namedRecord("property", ({ blueprint }) => names(blueprint.properties), placed(expectedValue)),
    byName,
    "The same for properties.",
  ),
  alerts: may(placed(alerts), "Active alerts as a list, none, or what was raised and cleared."),
  response: may(placed(response), "The command succeeded, and its response has these fields."),
  error: may(placed(expectedText), "The command failed with a message that contains this."),
  progress: withDefault(oneOrMore(placed(expectedText)), [], "Progress that the command reported, in this order."),
  no_response: may(placed(yes), "The command has not ended."),
  log: withDefault(oneOrMore(placed(line)), [], "Lines that the script logged in this step."),
  no_log: withDefault(oneOrMore(placed(line)), [], "Lines that the script did not log in this step."),
  lua_error: withDefault(oneOrMore(placed(expectedText)), [], "Uncaught errors of the script that are wanted here."),
  storage: withDefault(textRecord("key", placed(expectedValue)), byName, "What the storage holds."),
  writes: withDefault(
    byPeer(["modbus"], (hint) => placed(wordOr(NOTHING, expectedWrites(hint)))),
    byName,
    "What was written to Modbus peers.",
  ),
  requests: withDefault(callsOf("http", request), byName, "Requests to HTTP peers, in this order."),
  frames: withDefault(callsOf("can", frame), byName, "Frames sent to CAN peers, in this order."),
  sent: withDefault(callsOf("serial", serialBytes), byName, "What was sent to serial peers, in this order."),
  published: withDefault(callsOf("mqtt", message), byName, "What was published to MQTT peers, in this order."),
  outputs: withDefault(
    byPeer(["relay", "digitalout", "analogout"], () => placed(output)),
    byName,
    "What relays and outputs are at: closed, open, high, low, {volts: 5}.",
  ),
});

export const expectations: Reader<Expectations> = mapReader(fields, ({ alerts: given, luaError, ...rest }) => ({
  ...rest,
  activeAlerts: given?.value.active && { place: given.place, value: given.value.active },
  raisedAlerts: given?.value.raised ?? [],
  clearedAlerts: given?.value.cleared ?? [],
  luaErrors: luaError,
}));

/** Expectations of one command's outcome exclude each other. */
export function checkOutcome(
  context: ScenarioContext,
  trail: Trail,
  { response, error, noResponse }: Expectations,
): void {
  const given = Object.entries({ response, error, no_response: noResponse }).filter(([, value]) => value !== undefined);
  const [one, other] = given;
  if (one === undefined || other === undefined) return;
  const message = `${quote(one[0])} and ${quote(other[0])} do not go together. Keep one of the two.`;
  context.reporter.atKey(trail, { code: "conflicting_keys", message });
}
