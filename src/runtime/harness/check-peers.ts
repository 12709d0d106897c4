// What a script is expected to have done to its peers.

import { decodeRegisters, registerCount } from "#core/modbus/register-value.ts";
import {
  countInOrder,
  describeExpected,
  describeValue,
  type ExpectedValue,
  isExpected,
} from "#core/scenario/expected-value.ts";
import { type Failure, unmet } from "#core/scenario/test-report.ts";
import { hex } from "#drivers/can/hex.ts";
import { fitsRoute } from "#drivers/http/peer.ts";
import type { Placed } from "#manifest/reader.ts";
import type { Expectations, ExpectedOutput, ExpectedRequest, ExpectedWrite } from "#manifest/scenario/expectations.ts";
import type { ExpectedJson } from "#manifest/scenario/expected.ts";
import { type HappeningOf, json } from "./scenario-event.ts";
import type { ScenarioRecord } from "./scenario-record.ts";

export interface PeerView {
  readonly record: ScenarioRecord;
  readonly from: number;
  /** What a relay or output is at; undefined for other peers. */
  readonly level: (peer: string, quantity: "state" | "volts" | "amps") => number | undefined;
}

export function checkPeers(view: PeerView, expect: Expectations): readonly Failure[] {
  /** What happened to a peer in the step. */
  const given = <K extends PeerHappening>(kind: K, peer: string) =>
    view.record.since(view.from, kind).filter((one) => "peer" in one && one.peer === peer);
  return [
    ...[...expect.writes].flatMap(([peer, wanted]) => checkWrites(given("write", peer), peer, wanted)),
    ...[...expect.requests].flatMap(([peer, wanted]) =>
      checkOrder(given("request", peer), wanted, {
        what: `requests to ${peer}`,
        fits: fitsRequest,
        describeGiven: ({ method, path, body }) => `${method} ${path}${body === "" ? "" : ` ${json(body)}`}`,
        describeWanted: ({ request: { method, path }, body, json: fields }) =>
          describeContent(`${method} ${path}`, body, fields),
      }),
    ),
    ...[...expect.frames].flatMap(([peer, wanted]) =>
      checkOrder(given("frame", peer), wanted, {
        what: `frames to ${peer}`,
        fits: (one, { id, data }) => one.id === id && hex(one.data) === hex(data),
        describeGiven: describeFrame,
        describeWanted: describeFrame,
      }),
    ),
    ...[...expect.sent].flatMap(([peer, wanted]) => checkSent(given("bytes", peer), peer, wanted)),
    ...[...expect.published].flatMap(([peer, wanted]) =>
      checkOrder(given("published", peer), wanted, {
        what: `messages to ${peer}`,
        fits: (one, { topic, payload }) => one.topic === topic && fitsContent(payload, one.payload, one.json),
        describeGiven: ({ topic, payload }) => `${topic} ${json(payload)}`,
        describeWanted: ({ topic, payload, json: fields }) => describeContent(topic, payload, fields),
      }),
    ),
    ...[...expect.outputs].flatMap(([peer, wanted]) => checkOutput(view, peer, wanted)),
  ];
}

type PeerHappening = "write" | "request" | "frame" | "bytes" | "published";

interface Order<W, G> {
  readonly what: string;
  readonly fits: (wanted: W, given: G) => boolean;
  readonly describeGiven: (given: G) => string;
  readonly describeWanted: (wanted: W) => string;
}

/** In this order, or `nothing`. */
type Calls<W> = Placed<"nothing" | readonly Placed<W>[]>;

const MOST_SHOWN = 8;

function checkOrder<W, G>(given: readonly G[], wanted: Calls<W>, order: Order<W, G>): readonly Failure[] {
  const { what, fits, describeGiven, describeWanted } = order;
  const shown = given.slice(0, MOST_SHOWN).map(describeGiven);
  const more = given.length > MOST_SHOWN ? ` and ${given.length - MOST_SHOWN} more` : "";
  const actual = shown.length === 0 ? "nothing" : `${shown.join(", then ")}${more}`;
  if (wanted.value === "nothing")
    return given.length === 0 ? [] : [unmet(wanted.place, what, { expected: "nothing", actual })];
  const found = countInOrder(wanted.value, given, (one, event) => fits(one.value, event));
  const missing = wanted.value[found];
  if (missing === undefined) return [];
  const after = found === 0 ? "" : ` after ${describeWanted(wanted.value[found - 1]?.value ?? missing.value)}`;
  return [unmet(missing.place, what, { expected: `${describeWanted(missing.value)}${after}`, actual })];
}

type Write = HappeningOf<"write">;

/** The last value of every register counts, whichever writes it came by. */
function checkWrites(given: readonly Write[], peer: string, wanted: Calls<ExpectedWrite>): readonly Failure[] {
  if (wanted.value === "nothing") {
    const message = `writes to ${peer}`;
    return given.length === 0
      ? []
      : [unmet(wanted.place, message, { expected: "nothing", actual: describeWrites(given) })];
  }
  const notWritten = given.length === 0 ? "nothing was written" : `not written; written were ${describeWrites(given)}`;
  return wanted.value.flatMap(({ value: one, place }) => {
    const value = actualOf(one, writtenTo(given, one));
    if (value !== undefined && isExpected(one.value, value)) return [];
    const unit = one.unit === undefined ? "" : ` of unit ${one.unit}`;
    const type = one.layout === undefined ? "" : `${one.layout.type} `;
    const actual = value === undefined ? notWritten : describeValue(value);
    const message = `write to ${peer}: ${one.table} ${one.first}${unit}`;
    return [unmet(place, message, { expected: `${type}${describeExpected(one.value)}`, actual })];
  });
}

function writtenTo(given: readonly Write[], { unit, table }: ExpectedWrite): ReadonlyMap<number, number> {
  const registers = new Map<number, number>();
  for (const write of given) {
    if (write.table !== table || (unit !== undefined && write.unit !== unit)) continue;
    for (const [at, value] of write.values.entries()) registers.set(write.first + at, value);
  }
  return registers;
}

/** What lies in the registers that the expectation is about; undefined unless all of them were written. */
function actualOf({ table, first, layout, value }: ExpectedWrite, written: ReadonlyMap<number, number>): unknown {
  const count = layout === undefined ? lengthOf(value) : registerCount(layout);
  const all = Array.from({ length: count }, (_, at) => written.get(first + at)).filter((one) => one !== undefined);
  if (all.length < count) return undefined;
  if (table === "coils") return all.map((one) => one !== 0);
  return layout === undefined ? all : decodeRegisters(layout, all);
}

function lengthOf(value: ExpectedValue): number {
  return value.kind === "equals" && Array.isArray(value.value) ? value.value.length : 1;
}

function describeWrites(given: readonly Write[]): string {
  const shown = given.slice(-MOST_SHOWN).map(({ table, first, values }) => `${table} ${first} = ${values.join(" ")}`);
  return shown.join(", ");
}

function fitsRequest(wanted: ExpectedRequest, given: HappeningOf<"request">): boolean {
  if (!fitsRoute(`${wanted.request.method} ${wanted.request.path}`, given.method, given.path)) return false;
  if (!fitsContent(given.body, wanted.body, wanted.json)) return false;
  return [...wanted.headers].every(([name, value]) => {
    const header = given.headers.get(name.toLowerCase());
    return header !== undefined && isExpected(value, header);
  });
}

/** A body or payload, as text and as JSON. */
function fitsContent(content: string, text: ExpectedValue | undefined, fields: ExpectedJson | undefined): boolean {
  return (text === undefined || isExpected(text, content)) && (fields === undefined || fitsJson(fields, content));
}

function describeContent(what: string, text: ExpectedValue | undefined, fields: ExpectedJson | undefined): string {
  return [what, text && describeExpected(text), fields && describeJson(fields)].filter(Boolean).join(" ");
}

function fitsJson(wanted: ExpectedJson, text: string): boolean {
  const value = parseJson(text);
  if (wanted.kind !== "fields") return isExpected(wanted, value);
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map(Object.entries(value));
  return [...wanted.fields].every(([name, one]) =>
    one.kind === "absent" ? !fields.has(name) : fields.has(name) && isExpected(one, fields.get(name)),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeJson(wanted: ExpectedJson): string {
  if (wanted.kind !== "fields") return describeExpected(wanted);
  return `{${[...wanted.fields].map(([name, one]) => `${name}: ${describeExpected(one)}`).join(", ")}}`;
}

function describeFrame({ id, data }: { readonly id: number; readonly data: readonly number[] }): string {
  return `0x${id.toString(16)} ${hex(data)}`;
}

/** Bytes may come in several writes. */
function checkSent(given: readonly HappeningOf<"bytes">[], peer: string, wanted: Calls<string>): readonly Failure[] {
  const all = given.map(({ bytes }) => bytes).join("");
  const actual = all === "" ? "nothing" : describeValue(all);
  const what = `bytes sent to ${peer}`;
  if (wanted.value === "nothing") {
    return all === "" ? [] : [unmet(wanted.place, what, { expected: "nothing", actual })];
  }
  let from = 0;
  for (const { value, place } of wanted.value) {
    const at = all.indexOf(value, from);
    if (at < 0) return [unmet(place, what, { expected: describeValue(value), actual })];
    from = at + value.length;
  }
  return [];
}

function checkOutput(
  { level }: PeerView,
  peer: string,
  { value: wanted, place }: Placed<ExpectedOutput>,
): readonly Failure[] {
  const state = level(peer, "state");
  const failures: Failure[] = [];
  if (wanted.state !== undefined) {
    const isRelay = wanted.state === "closed" || wanted.state === "open";
    const actual = state === 0 ? (isRelay ? "open" : "low") : isRelay ? "closed" : "high";
    if (actual !== wanted.state) failures.push(unmet(place, `output ${peer}`, { expected: wanted.state, actual }));
  }
  for (const quantity of ["volts", "amps"] as const) {
    const one = wanted[quantity];
    const value = level(peer, quantity);
    if (one === undefined || isExpected(one, value)) continue;
    const differs = { expected: describeExpected(one), actual: describeValue(value) };
    failures.push(unmet(place, `${quantity} of ${peer}`, differs));
  }
  return failures;
}
