// What a script is expected to have done to its peers.

import { decodeRegisters, registerCount } from "#core/modbus/register-value.ts";
import {
  countInOrder,
  describeExpected,
  describeValue,
  type ExpectedValue,
  isExpected,
} from "#core/scenario/expected-value.ts";
import { hex } from "#drivers/can/hex.ts";
import { fitsRoute } from "#drivers/http/peer.ts";
import type { Placed } from "#manifest/reader.ts";
import type { Expectations, ExpectedOutput, ExpectedRequest, ExpectedWrite } from "#manifest/scenario/expectations.ts";
import type { ExpectedJson } from "#manifest/scenario/expected.ts";
import { type HappeningOf, json } from "./scenario-event.ts";
import type { ScenarioRecord } from "./scenario-record.ts";
import type { Failure } from "./test-report.ts";

export interface PeerView {
  readonly record: ScenarioRecord;
  readonly from: number;
  /** What a relay or output is at; undefined for other peers. */
  readonly level: (peer: string, quantity: "state" | "volts" | "amps") => number | undefined;
}

export function checkPeers(view: PeerView, expect: Expectations): readonly Failure[] {
  const { record, from } = view;
  return [
    ...[...expect.writes].flatMap(([peer, wanted]) =>
      checkWrites(
        record.since(from, "write").filter((one) => one.peer === peer),
        peer,
        wanted,
      ),
    ),
    ...[...expect.requests].flatMap(([peer, wanted]) =>
      checkOrder({
        what: `requests to ${peer}`,
        given: record.since(from, "request").filter((one) => one.peer === peer),
        wanted,
        fits: fitsRequest,
        describeGiven: ({ method, path, body }) => `${method} ${path}${body === "" ? "" : ` ${json(body)}`}`,
        describeWanted: ({ request: { method, path }, body, json: fields }) =>
          [`${method} ${path}`, body && describeExpected(body), fields && describeJson(fields)]
            .filter(Boolean)
            .join(" "),
      }),
    ),
    ...[...expect.frames].flatMap(([peer, wanted]) =>
      checkOrder({
        what: `frames to ${peer}`,
        given: record.since(from, "frame").filter((one) => one.peer === peer),
        wanted,
        fits: (one, { id, data }) => one.id === id && hex(one.data) === hex(data),
        describeGiven: describeFrame,
        describeWanted: describeFrame,
      }),
    ),
    ...[...expect.sent].flatMap(([peer, wanted]) =>
      checkSent(
        record.since(from, "bytes").filter((one) => one.peer === peer),
        peer,
        wanted,
      ),
    ),
    ...[...expect.published].flatMap(([peer, wanted]) =>
      checkOrder({
        what: `messages to ${peer}`,
        given: record.since(from, "published").filter((one) => one.peer === peer),
        wanted,
        fits: (one, { topic, payload }) =>
          one.topic === topic &&
          (one.payload === undefined || isExpected(one.payload, payload)) &&
          (one.json === undefined || fitsJson(one.json, payload)),
        describeGiven: ({ topic, payload }) => `${topic} ${json(payload)}`,
        describeWanted: ({ topic, payload, json: fields }) =>
          [topic, payload && describeExpected(payload), fields && describeJson(fields)].filter(Boolean).join(" "),
      }),
    ),
    ...[...expect.outputs].flatMap(([peer, wanted]) => checkOutput(view, peer, wanted)),
  ];
}

interface Order<W, G> {
  readonly what: string;
  readonly given: readonly G[];
  readonly wanted: Placed<"nothing" | readonly Placed<W>[]>;
  readonly fits: (wanted: W, given: G) => boolean;
  readonly describeGiven: (given: G) => string;
  readonly describeWanted: (wanted: W) => string;
}

const MOST_SHOWN = 8;

function checkOrder<W, G>({
  what,
  given,
  wanted,
  fits,
  describeGiven,
  describeWanted,
}: Order<W, G>): readonly Failure[] {
  const shown = given.slice(0, MOST_SHOWN).map(describeGiven);
  const more = given.length > MOST_SHOWN ? ` and ${given.length - MOST_SHOWN} more` : "";
  const actual = shown.length === 0 ? "nothing" : `${shown.join(", then ")}${more}`;
  if (wanted.value === "nothing") {
    return given.length === 0
      ? []
      : [{ kind: "expectation", message: what, expected: "nothing", actual, place: wanted.place }];
  }
  const found = countInOrder(wanted.value, given, (one, event) => fits(one.value, event));
  const missing = wanted.value[found];
  if (missing === undefined) return [];
  const after = found === 0 ? "" : ` after ${describeWanted(wanted.value[found - 1]?.value ?? missing.value)}`;
  const expected = `${describeWanted(missing.value)}${after}`;
  return [{ kind: "expectation", message: what, expected, actual, place: missing.place }];
}

type Write = HappeningOf<"write">;

/** The last value of every register counts, whichever writes it came by. */
function checkWrites(
  given: readonly Write[],
  peer: string,
  wanted: Expectations["writes"] extends ReadonlyMap<string, infer W> ? W : never,
): readonly Failure[] {
  if (wanted.value === "nothing") {
    if (given.length === 0) return [];
    return [
      {
        kind: "expectation",
        message: `writes to ${peer}`,
        expected: "nothing",
        actual: describeWrites(given),
        place: wanted.place,
      },
    ];
  }
  return wanted.value.flatMap(({ value: one, place }) => {
    const written = writtenTo(given, one);
    const actual = actualOf(one, written);
    if (actual !== undefined && isExpected(one.value, actual)) return [];
    const unit = one.unit === undefined ? "" : ` of unit ${one.unit}`;
    const type = one.layout === undefined ? "" : `${one.layout.type} `;
    return [
      {
        kind: "expectation",
        message: `write to ${peer}: ${one.table} ${one.first}${unit}`,
        expected: `${type}${describeExpected(one.value)}`,
        actual:
          actual === undefined
            ? given.length === 0
              ? "nothing was written"
              : `not written; written were ${describeWrites(given)}`
            : describeValue(actual),
        place,
      },
    ];
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
  if (wanted.body !== undefined && !isExpected(wanted.body, given.body)) return false;
  if (wanted.json !== undefined && !fitsJson(wanted.json, given.body)) return false;
  return [...wanted.headers].every(([name, value]) => {
    const header = given.headers.get(name.toLowerCase());
    return header !== undefined && isExpected(value, header);
  });
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
function checkSent(
  given: readonly HappeningOf<"bytes">[],
  peer: string,
  wanted: Placed<"nothing" | readonly Placed<string>[]>,
): readonly Failure[] {
  const all = given.map(({ bytes }) => bytes).join("");
  const actual = all === "" ? "nothing" : describeValue(all);
  const what = `bytes sent to ${peer}`;
  if (wanted.value === "nothing") {
    return all === "" ? [] : [{ kind: "expectation", message: what, expected: "nothing", actual, place: wanted.place }];
  }
  let from = 0;
  for (const { value, place } of wanted.value) {
    const at = all.indexOf(value, from);
    if (at < 0) return [{ kind: "expectation", message: what, expected: describeValue(value), actual, place }];
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
    if (actual !== wanted.state)
      failures.push({ kind: "expectation", message: `output ${peer}`, expected: wanted.state, actual, place });
  }
  for (const quantity of ["volts", "amps"] as const) {
    const one = wanted[quantity];
    const value = level(peer, quantity);
    if (one === undefined || isExpected(one, value)) continue;
    const expected = describeExpected(one);
    failures.push({
      kind: "expectation",
      message: `${quantity} of ${peer}`,
      expected,
      actual: describeValue(value),
      place,
    });
  }
  return failures;
}
