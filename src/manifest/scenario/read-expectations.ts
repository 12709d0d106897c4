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
  map: mapReader(
    object("expectation of alerts", {
      active: may(listOf(alertName), "Exactly these are active at the end of the step."),
      raised: may(oneOrMore(placed(alertName)), "These became active during the step."),
      cleared: may(oneOrMore(placed(alertName)), "These were active and are no longer."),
    }),
    ({ active, raised, cleared }) => ({ active, raised: raised ?? [], cleared: cleared ?? [] }),
  ),
  wanted: "a list of the active alerts, none, or {raised: ..., cleared: ...}",
});

interface AlertExpectation {
  readonly active: readonly string[] | undefined;
  readonly raised: readonly Placed<string>[];
  readonly cleared: readonly Placed<string>[];
}

const response = textRecord("field of the response", placed(expectedValue));

const line: Reader<ExpectedLine> = byForm<ExpectedLine>({
  scalar: mapReader(expectedText, (value) => ({ text: value, severity: undefined })),
  map: {
    schema: object("log line", {
      text: may(expectedText, "What the line says."),
      severity: may(oneOf(LOG_SEVERITIES), "How bad it is."),
    }).schema,
    read: (context, trail) => readLine(context, trail),
  },
  wanted: "a text, or {severity: warning, text: ...}",
});

const lineFields = object("log line", {
  text: may(expectedText, "A text that the line contains."),
  severity: may(oneOf(LOG_SEVERITIES), "How bad it is."),
});

/** `{matches: ...}` is a text too. */
function readLine(context: ScenarioContext, trail: Trail): ExpectedLine | undefined {
  const isFields = trail.node.kind === "map" && (trail.node.entries.has("text") || trail.node.entries.has("severity"));
  if (!isFields) {
    const value = expectedText.read(context, trail);
    return value && { text: value, severity: undefined };
  }
  const given = lineFields.read(context, trail);
  return given && { text: given.text ?? { kind: "present" }, severity: given.severity };
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
  headers: may(textRecord("header", expectedText), "Headers by name."),
});

const request: Reader<ExpectedRequest> = {
  schema: { anyOf: [{ type: "string" }, requestFields.schema] },
  read: (context, trail) => {
    const given =
      trail.node.kind === "scalar" ? { request: text.read(context, trail) } : requestFields.read(context, trail);
    if (given?.request === undefined) return undefined;
    const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(given.request) ?? [];
    if (method === undefined || path === undefined) {
      return wrong(context, trail, "a method and a path, such as POST /limit");
    }
    const rest = "body" in given ? given : undefined;
    return {
      method,
      path,
      body: rest?.body,
      json: rest?.json,
      headers: new Map([...(rest?.headers ?? [])].map(([name, value]) => [name.toLowerCase(), value])),
    };
  },
};

const frame = object("frame", { id: must(frameId, "Identifier, such as 0x351."), data: must(frameData, "Its bytes.") });

const message: Reader<ExpectedMessage> = mapReader(
  object("message", {
    topic: must(text, "Its topic."),
    payload: may(expectedText, "The payload as text."),
    json: may(expectedJson, "The payload as JSON; fields that are not listed may be there as well."),
  }),
  ({ topic, payload, json }) => ({ topic, payload, json }),
);

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

/** `nothing`, or whatever `some` reads. */
function orNothing<T>(some: Reader<T>): Reader<T | "nothing"> {
  return {
    schema: { anyOf: [{ const: "nothing" }, some.schema] },
    read: (context, trail) =>
      trail.node.kind === "scalar" && trail.node.value === "nothing" ? "nothing" : some.read(context, trail),
  };
}

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

const fields = object("expectation", {
  telemetry: may(
    namedRecord("telemetry attribute", telemetryNames, placed(expectedValue)),
    "What the script sent in this step, by attribute: the last value, or absent.",
  ),
  properties: may(
    namedRecord("property", ({ blueprint }) => names(blueprint.properties), placed(expectedValue)),
    "The same for properties.",
  ),
  alerts: may(placed(alerts), "Active alerts as a list, none, or what was raised and cleared."),
  response: may(placed(response), "The command succeeded, and its response has these fields."),
  error: may(placed(expectedText), "The command failed with a message that contains this."),
  progress: may(oneOrMore(placed(expectedText)), "Progress that the command reported, in this order."),
  no_response: may(placed(yes), "The command has not ended."),
  log: may(oneOrMore(placed(line)), "Lines that the script logged in this step."),
  no_log: may(oneOrMore(placed(line)), "Lines that the script did not log in this step."),
  lua_error: may(oneOrMore(placed(expectedText)), "Uncaught errors of the script that are wanted here."),
  storage: may(textRecord("key", placed(expectedValue)), "What the storage holds."),
  writes: may(
    byPeer(["modbus"], (hint) => placed(orNothing(expectedWrites(hint)))),
    "What was written to Modbus peers.",
  ),
  requests: may(
    byPeer(["http"], () => placed(orNothing(oneOrMore(placed(request))))),
    "Requests to HTTP peers, in this order.",
  ),
  frames: may(
    byPeer(["can"], () => placed(orNothing(oneOrMore(placed(frame))))),
    "Frames sent to CAN peers, in this order.",
  ),
  sent: may(
    byPeer(["serial"], () => placed(orNothing(oneOrMore(placed(serialBytes))))),
    "What was sent to serial peers, in this order.",
  ),
  published: may(
    byPeer(["mqtt"], () => placed(orNothing(oneOrMore(placed(message))))),
    "What was published to MQTT peers, in this order.",
  ),
  outputs: may(
    byPeer(["relay", "digitalout", "analogout"], () => placed(output)),
    "What relays and outputs are at: closed, open, high, low, {volts: 5}.",
  ),
});

export const expectations: Reader<Expectations> = mapReader(fields, (given) => ({
  telemetry: given.telemetry ?? new Map(),
  properties: given.properties ?? new Map(),
  activeAlerts:
    given.alerts?.value.active === undefined
      ? undefined
      : { place: given.alerts.place, value: given.alerts.value.active },
  raisedAlerts: given.alerts?.value.raised ?? [],
  clearedAlerts: given.alerts?.value.cleared ?? [],
  response: given.response,
  error: given.error,
  progress: given.progress ?? [],
  noResponse: given.noResponse,
  log: given.log ?? [],
  noLog: given.noLog ?? [],
  luaErrors: given.luaError ?? [],
  storage: given.storage ?? new Map(),
  writes: given.writes ?? new Map(),
  requests: given.requests ?? new Map(),
  frames: given.frames ?? new Map(),
  sent: given.sent ?? new Map(),
  published: given.published ?? new Map(),
  outputs: given.outputs ?? new Map(),
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
