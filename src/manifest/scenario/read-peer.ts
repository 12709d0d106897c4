import { WORD_ORDERS, type WordOrder } from "#core/modbus/register-value.ts";
import { type ModbusTables, PEER_KINDS, type Peer, type PeerChange, type PeerKind } from "#core/scenario/scenario.ts";
import { entryTrail, type MapNode, type Node, type Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";
import { frameData, serialBytes } from "./read-bytes.ts";
import { bitTable, registerTable } from "./read-registers.ts";
import { routes } from "./read-routes.ts";
import {
  duration,
  type Field,
  type Fields,
  flag,
  integer,
  mapReader,
  may,
  must,
  nameOf,
  number,
  oneOf,
  type PeerHint,
  type Reader,
  type ReadFields,
  type ScenarioContext,
  text,
  wordOr,
} from "./reader.ts";
import { byForm, listOf, object, objectSchema, recordOf } from "./reader-shapes.ts";

const NOTHING_NEW: PeerChange = {
  isSilent: undefined,
  delay: undefined,
  error: undefined,
  units: undefined,
  unlisted: undefined,
  routes: undefined,
  frames: undefined,
  answers: undefined,
  isClosed: undefined,
  isHigh: undefined,
  counter: undefined,
  volts: undefined,
  amps: undefined,
};

const unitNumber = integer(0, 255);

function tableFields(words: WordOrder) {
  const registers = registerTable(words);
  return {
    holdings: may(registers, "Holding registers by number."),
    inputs: may(registers, "Input registers by number."),
    coils: may(bitTable, "Coils by number."),
    discrete_inputs: may(bitTable, "Discrete inputs by number."),
  } satisfies Fields;
}

function unitKey(context: ScenarioContext, trail: Trail): number | undefined {
  const unit = Number(trail.step);
  if (Number.isInteger(unit) && unit >= 0 && unit <= 255) return unit;
  const message = `${quote(String(trail.step))} is no unit. Units are numbered from 0 to 255.`;
  context.reporter.atKey(trail, { code: "bad_id", message });
  return undefined;
}

export const frameId = integer(0, 0x1fff_ffff);

const periodicFrame = object("frame", {
  id: must(frameId, "Identifier, such as 0x351."),
  data: must(frameData, 'Bytes: hexadecimal digits such as "E8 03", or a list of numbers.'),
  every: may(duration, "Sent again and again. Default: once."),
});

const serialAnswer = object("answer", {
  to: must(serialBytes, "What the script sends."),
  answer: must(serialBytes, "What comes back."),
});

const level = mapReader(oneOf(["high", "low"]), (word) => word === "high");

/** What can be said about a peer besides its address. */
function peerFields(words: WordOrder) {
  const unit = object("unit", tableFields(words));
  return {
    silent: may(flag, "Takes every call and never answers, until the script's timeout."),
    delay: may(duration, "How long every answer takes. Default: none."),
    error: may(
      wordOr({ word: false, meaning: null }, text),
      "Every call fails with this text; false makes the peer well again.",
    ),
    unit: may(unitNumber, "The unit whose tables stand here. Default: 1."),
    words: may(oneOf(WORD_ORDERS), "Order of the registers of 32 and 64 bits: big (default) or little."),
    unlisted: may(
      wordOr({ word: "refused", meaning: null }, integer(0, 65_535)),
      "What registers hold that are not listed; refused (default) answers with exception 2.",
    ),
    ...tableFields(words),
    units: may(
      recordOf({ keys: "unit", key: unitKey, value: () => unit, schema: unit.schema }),
      "Tables of several units, by number.",
    ),
    routes: may(routes, "Answers by method and path; a * stands for anything."),
    frames: may(listOf(periodicFrame), "Frames that the bus carries."),
    answers: may(listOf(serialAnswer), "What the device answers to what."),
    closed: may(flag, "Whether the relay is closed."),
    state: may(level, "high or low."),
    counter: may(integer(0, Number.MAX_SAFE_INTEGER), "Pulses counted."),
    volts: may(number, "Voltage."),
    amps: may(number, "Current."),
  } satisfies Fields;
}

type PeerFields = ReturnType<typeof peerFields>;
type Given = Partial<ReadFields<PeerFields>>;

const FIELDS: Readonly<Record<WordOrder, PeerFields>> = { big: peerFields("big"), little: peerFields("little") };

/** Every peer can fail; the rest depends on its kind. */
const FAILING = ["silent", "delay", "error"] as const;
const KIND_FIELDS: Readonly<Record<PeerKind, readonly (keyof PeerFields)[]>> = {
  modbus: ["unit", "words", "unlisted", "holdings", "inputs", "coils", "discrete_inputs", "units"],
  http: ["routes"],
  can: ["frames"],
  serial: ["answers"],
  mqtt: [],
  relay: ["closed"],
  digitalin: ["state", "counter"],
  digitalout: ["state"],
  analogin: ["volts", "amps"],
  analogout: ["volts", "amps"],
};

function fieldsOf(kind: PeerKind, words: WordOrder = "big"): Fields {
  return Object.fromEntries([...FAILING, ...KIND_FIELDS[kind]].map((name) => [name, FIELDS[words][name]]));
}

/** A change of a peer in a step: its fields, or one word for how well it is. */
export function peerChange(hint: PeerHint): Reader<PeerChange> {
  const { kind } = hint;
  const words = oneOf(["silent", "well"]);
  return byForm<PeerChange>({
    scalar: mapReader(words, (word) => ({
      ...NOTHING_NEW,
      isSilent: word === "silent",
      ...(word === "well" ? { error: null, delay: 0 } : {}),
    })),
    map: {
      schema: objectSchema(Object.entries(fieldsOf(kind))),
      read: (context, trail) => changeOf(context, trail, hint),
    },
    wanted: "what changes, or silent, or well",
  });
}

/** What editors offer for a peer of unknown kind. */
export const anyChangeSchema = {
  anyOf: [{ enum: ["silent", "well"] }, objectSchema(Object.entries<Field<unknown>>(FIELDS.big))],
};

export const peer: Reader<Peer> = {
  schema: {
    anyOf: PEER_KINDS.map((kind) => objectSchema([[kind, addressField(kind)], ...Object.entries(fieldsOf(kind))])),
  },
  read: (context, trail) => {
    const { node } = trail;
    const hint = peerHint(node);
    if (node.kind !== "map" || hint === undefined) {
      const known = PEER_KINDS.join(", ");
      const near = node.kind === "map" ? nearestKind(context, node) : undefined;
      const message = `The peer ${nameOf(trail)} needs one key that says what it is. ${near ? `Did you mean ${near}?` : `Known are ${known}.`}`;
      context.reporter.atKey(trail, { code: "missing_key", message });
      return undefined;
    }
    const { kind } = hint;
    const entry = node.entries.get(kind);
    const address = entry && text.read(context, entryTrail(trail, entry));
    const state = changeOf(context, trail, hint);
    return state && { kind, address: address === "any" ? undefined : address, state };
  },
};

function addressField(kind: PeerKind): Field<unknown> {
  return must(text, `The address that the script gives to the ${kind} library; any takes every address.`);
}

/** What a declaration says at first sight; undefined without exactly one key that names the kind. */
export function peerHint(node: Node): PeerHint | undefined {
  if (node.kind !== "map") return undefined;
  const [kind, second] = PEER_KINDS.filter((one) => node.entries.has(one));
  if (kind === undefined || second !== undefined) return undefined;
  const unit = scalarAt(node, "unit");
  return {
    kind,
    words: scalarAt(node, "words") === "little" ? "little" : "big",
    unit: typeof unit === "number" ? unit : 1,
  };
}

function scalarAt(node: MapNode, key: string): unknown {
  const value = node.entries.get(key)?.value;
  return value?.kind === "scalar" ? value.value : undefined;
}

function nearestKind(context: ScenarioContext, node: MapNode): string | undefined {
  for (const key of node.entries.keys()) {
    const near = context.reporter.nearest(key, PEER_KINDS);
    if (near !== undefined) return near;
  }
  return undefined;
}

function changeOf(context: ScenarioContext, trail: Trail, hint: PeerHint): PeerChange | undefined {
  const { kind } = hint;
  const fields = fieldsOf(kind, hint.words);
  // The declaration of the peer reads the key that names the kind; a step does not repeat it.
  const isDeclaration = trail.node.kind === "map" && trail.node.entries.has(kind);
  const all = isDeclaration ? { [kind]: addressField(kind), ...fields } : fields;
  const given: Given | undefined = object(`${kind} peer`, all).read(context, trail);
  return (
    given && {
      isSilent: given.silent,
      delay: given.delay,
      error: given.error,
      units: unitsOf(hint, given),
      unlisted: given.unlisted,
      routes: given.routes,
      frames: given.frames,
      answers: given.answers,
      isClosed: given.closed,
      isHigh: given.state,
      counter: given.counter,
      volts: given.volts,
      amps: given.amps,
    }
  );
}

type GivenTables = Pick<Given, "holdings" | "inputs" | "coils" | "discreteInputs">;

function unitsOf(hint: PeerHint, { unit, units, ...own }: Given): PeerChange["units"] {
  const all = new Map([...(units ?? [])].map(([number, tables]) => [number, fullTables(tables)] as const));
  const hasOwn = own.holdings ?? own.inputs ?? own.coils ?? own.discreteInputs;
  if (hasOwn !== undefined || unit !== undefined) all.set(unit ?? hint.unit, fullTables(own));
  return all.size === 0 ? undefined : all;
}

function fullTables({ holdings, inputs, coils, discreteInputs }: GivenTables): ModbusTables {
  return {
    holdings: holdings ?? new Map(),
    inputs: inputs ?? new Map(),
    coils: coils ?? new Map(),
    discreteInputs: discreteInputs ?? new Map(),
  };
}
