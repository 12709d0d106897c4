// What a script talks to: how peers are declared, changed and made to send.
import { WORD_ORDERS } from "#core/modbus/register-value.ts";
import * as r from "#manifest/reader.ts";
import type { Node, Trail } from "#manifest/tree.ts";
import { nameOf } from "#manifest/words.ts";
import { byteString, frameData, serialBytes } from "./bytes.ts";
import { bitTable, registerTable } from "./registers.ts";
import type { PeerHint, ScenarioContext } from "./scenario-context.ts";

const ANSWER_FIELDS = {
  code: r.withDefault(r.integer(100, 599), 200, "Status. Default: 200."),
  body: r.withDefault(r.text, "", "Body as text."),
  json: r.may(r.anything, "Body as JSON."),
  headers: r.withDefault(r.record(r.anyKey("header"), r.text), new Map(), "Headers by name."),
  delay: r.may(r.duration, "How long the answer takes."),
  error: r.may(r.text, "The request fails with this text."),
} satisfies r.Fields;

/** The body holds one byte a character. */
export type HttpAnswer = Omit<r.ReadFields<typeof ANSWER_FIELDS>, "json">;

export const httpAnswer = r.byForm<HttpAnswer>({
  scalar: r.mapped(r.integer(100, 599), (code) => ({ code, body: "", headers: new Map() })),
  map: r.mapped(r.object("answer", ANSWER_FIELDS), ({ body, json, headers, ...rest }) => ({
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

const route = r.keyOf("route", "Write a method and a path, such as GET /status.", (key) =>
  /^[A-Z]+ \/\S*$/.test(key) ? key : undefined,
);

const unitKey = r.keyOf("unit", "Units are numbered from 0 to 255.", (key) => {
  const unit = Number(key);
  return Number.isInteger(unit) && unit >= 0 && unit <= 255 ? unit : undefined;
});

/** First register or bit to what lies there and after it. */
const TABLES = {
  holdings: r.may(registerTable, "Holding registers by number."),
  inputs: r.may(registerTable, "Input registers by number."),
  coils: r.may(bitTable, "Coils by number."),
  discrete_inputs: r.may(bitTable, "Discrete inputs by number."),
} satisfies r.Fields;

export type ModbusTables = r.ReadFields<typeof TABLES>;

const FRAME_FIELDS = {
  id: r.must(r.integer(0, 0x1fff_ffff), "Identifier, such as 0x351."),
  data: r.must(frameData, 'Bytes: hexadecimal digits such as "E8 03", or a list of numbers.'),
} satisfies r.Fields;

export type Frame = r.ReadFields<typeof FRAME_FIELDS>;

export const frame = r.object("frame", FRAME_FIELDS);

const FRAMES_FIELDS = { ...FRAME_FIELDS, every: r.may(r.duration, "Sent again and again. Default: once.") };

export type PeriodicFrame = r.ReadFields<typeof FRAMES_FIELDS>;

const SERIAL_FIELDS = {
  to: r.must(serialBytes, "What the script sends."),
  answer: r.must(serialBytes, "What comes back."),
} satisfies r.Fields;

export type SerialAnswer = r.ReadFields<typeof SERIAL_FIELDS>;

const level = r.mapped(r.oneOf(["high", "low"]), (word) => word === "high");

/** Every peer can fail; the rest depends on its kind. */
const FAILING = {
  silent: r.may(r.flag, "Takes every call and never answers, until the script's timeout."),
  delay: r.may(r.duration, "How long every answer takes. Default: none."),
  error: r.may(r.wordOr(false, null, r.text), "Every call fails with this text; false makes the peer well again."),
} satisfies r.Fields;

const MODBUS = {
  unit: r.may(r.integer(0, 255), "The unit whose tables stand here. Default: 1."),
  words: r.may(r.oneOf(WORD_ORDERS), "Order of the registers of 32 and 64 bits: big (default) or little."),
  unlisted: r.may(
    r.wordOr("refused", null, r.integer(0, 65_535)),
    "What registers hold that are not listed; refused (default) answers with exception 2.",
  ),
  ...TABLES,
  units: r.may(r.record(unitKey, r.object("unit", TABLES)), "Tables of several units, by number."),
} satisfies r.Fields;

export const routes = r.shared("routes", r.record(route, r.oneOrMore(httpAnswer)));
const HTTP = { routes: r.may(routes, "Answers by method and path; a * stands for anything.") };
const CAN = { frames: r.may(r.listOf(r.object("frame", FRAMES_FIELDS)), "Frames that the bus carries.") };
const SERIAL = { answers: r.may(r.listOf(r.object("answer", SERIAL_FIELDS)), "What the device answers to what.") };
const RELAY = { closed: r.may(r.flag, "Whether the relay is closed.") };
const DIGITAL = { state: r.may(level, "high or low.") };
const COUNTER = { counter: r.may(r.integer(0, Number.MAX_SAFE_INTEGER), "Pulses counted.") };
const ANALOG = { volts: r.may(r.number, "Voltage."), amps: r.may(r.number, "Current.") };

/** What a scenario can say of a peer, by its kind. */
const FIELDS = {
  modbus: { ...FAILING, ...MODBUS },
  http: { ...FAILING, ...HTTP },
  can: { ...FAILING, ...CAN },
  serial: { ...FAILING, ...SERIAL },
  mqtt: FAILING,
  relay: { ...FAILING, ...RELAY },
  digitalin: { ...FAILING, ...DIGITAL, ...COUNTER },
  digitalout: { ...FAILING, ...DIGITAL },
  analogin: { ...FAILING, ...ANALOG },
  analogout: { ...FAILING, ...ANALOG },
} satisfies Readonly<Record<string, r.Fields>>;

export type PeerKind = keyof typeof FIELDS;
export const PEER_KINDS: readonly PeerKind[] = Object.keys(FIELDS).map((kind) => kind as PeerKind);

const ALL_FIELDS = { ...FAILING, ...MODBUS, ...HTTP, ...CAN, ...SERIAL, ...RELAY, ...DIGITAL, ...COUNTER, ...ANALOG };

/** By peer, and only peers of these kinds. */
export function byPeer<T>(kinds: readonly string[], value: r.Reader<T>): r.Reader<ReadonlyMap<string, T>> {
  const what = kinds === PEER_KINDS ? "peer" : `${kinds.join(" or ")} peer`;
  const known = ({ peers }: ScenarioContext) =>
    [...peers].filter(([, { kind }]) => kinds.includes(kind)).map(([name]) => name);
  const ofPeer = r.reader<T>(value.schema, (context: ScenarioContext, trail) => {
    const peer = context.peers.get(String(trail.step));
    const inner = peer === undefined ? context : { ...context, peer };
    return value.read(inner, trail);
  });
  return r.record(r.nameKey(what, known), ofPeer);
}

/** The changes of a peer; undefined leaves it as it is. An error of null repairs the peer. */
export type PeerChange = r.ReadFields<typeof ALL_FIELDS>;

/** The tables that stand in the change itself are those of one unit. */
function withUnits({ peer }: ScenarioContext, change: PeerChange): PeerChange {
  const { unit, units, holdings, inputs, coils, discreteInputs } = change;
  const own = unit ?? holdings ?? inputs ?? coils ?? discreteInputs;
  if (own === undefined) return change;
  return { ...change, units: new Map([...(units ?? []), [unit ?? peer.unit, change]]) };
}

/** The fields of a peer of each kind, after `more`. */
function readersByKind(more: (kind: PeerKind) => r.Fields): ReadonlyMap<string, r.Reader<PeerChange>> {
  return new Map(
    PEER_KINDS.map((kind) => {
      const all: r.Fields = { ...more(kind), ...FIELDS[kind] };
      return [kind, r.object(`${kind} peer`, all) as r.Reader<PeerChange>];
    }),
  );
}

const CHANGES = readersByKind(() => ({}));

/** A change of a peer: its fields, or one word for how well it is. */
export const change = r.shared(
  "change",
  r.byForm<PeerChange>({
    scalar: r.mapped(r.oneOf(["silent", "well"]), (word) =>
      word === "silent" ? { silent: true } : { silent: false, error: null, delay: 0 },
    ),
    map: r.reader(r.object("peer", ALL_FIELDS).schema, (context: ScenarioContext, trail) => {
      const given = CHANGES.get(context.peer.kind)?.read(context, trail);
      return given && withUnits(context, given);
    }),
    wanted: "what changes, or silent, or well",
  }),
);

export const changes = byPeer(PEER_KINDS, change);

/** Something that a script talks to. */
export interface Peer {
  readonly kind: PeerKind;
  /** What the script gives to `new`; undefined takes every address. */
  readonly address: string | undefined;
  readonly state: PeerChange;
}

const DECLARATIONS = readersByKind((kind) => ({
  [kind]: r.must(r.text, `The address that the script gives to the ${kind} library; any takes every address.`),
}));

export const peer = r.reader<Peer>(
  { anyOf: [...DECLARATIONS.values()].map(({ schema }) => schema) },
  (context: ScenarioContext, trail) => {
    const hint = peerHint(trail.node);
    if (hint === undefined) return unknownKind(context, trail);
    const { kind } = hint;
    const inner = { ...context, peer: hint };
    const given = DECLARATIONS.get(kind)?.read(inner, trail);
    const address = scalarAt(trail.node, kind);
    return given && { kind, address: address === "any" ? undefined : String(address), state: withUnits(inner, given) };
  },
);

function unknownKind(context: ScenarioContext, trail: Trail): undefined {
  const keys = trail.node.kind === "map" ? [...trail.node.entries.keys()] : [];
  const [near] = keys.flatMap((key) => context.reporter.nearest(key, PEER_KINDS) ?? []);
  const words = near === undefined ? `Known are ${PEER_KINDS.join(", ")}.` : `Did you mean ${near}?`;
  const message = `The peer ${nameOf(trail)} needs one key that says what it is. ${words}`;
  return context.reporter.atKey(trail, { code: "missing_key", message });
}

/** What a declaration says at first sight; undefined without exactly one key that names the kind. */
export function peerHint(node: Node): (PeerHint & { readonly kind: PeerKind }) | undefined {
  const [kind, second] = PEER_KINDS.filter((one) => node.kind === "map" && node.entries.has(one));
  if (kind === undefined || second !== undefined) return undefined;
  const unit = scalarAt(node, "unit");
  const words = scalarAt(node, "words") === "little" ? "little" : "big";
  return { kind, words, unit: typeof unit === "number" ? unit : 1 };
}

function scalarAt(node: Node, key: string): unknown {
  const value = node.kind === "map" ? node.entries.get(key)?.value : undefined;
  return value?.kind === "scalar" ? value.value : undefined;
}

const message = r.mapped(
  r.object("message", {
    topic: r.must(r.text, "Its topic."),
    payload: r.withDefault(r.text, "", "The payload as text."),
    json: r.may(r.anything, "The payload as JSON."),
  }),
  ({ topic, payload, json }) => ({ topic, payload: byteString(json === undefined ? payload : JSON.stringify(json)) }),
);

export interface MqttMessage {
  readonly topic: string;
  readonly payload: string;
}

/** What peers send on their own. Texts and payloads hold one byte a character. */
export interface Sent {
  readonly frames?: readonly Frame[];
  readonly bytes?: string;
  readonly messages?: readonly MqttMessage[];
}

const SENT = {
  can: r.mapped(r.oneOrMore(frame), (frames): Sent => ({ frames })),
  serial: r.mapped(serialBytes, (bytes): Sent => ({ bytes })),
  mqtt: r.mapped(r.oneOrMore(message), (messages): Sent => ({ messages })),
};

const sent = r.reader<Sent>(
  { anyOf: Object.values(SENT).map(({ schema }) => schema) },
  (context: ScenarioContext, trail) => {
    const { kind } = context.peer;
    return kind === "can" || kind === "serial" || kind === "mqtt" ? SENT[kind].read(context, trail) : undefined;
  },
);

export const sends = byPeer(["can", "serial", "mqtt"], sent);
