// What has to hold at the end of a step.
import * as r from "#manifest/reader.ts";
import type { Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";
import { serialBytes } from "./bytes.ts";
import { expectedControls } from "./claims.ts";
import { expectedJson, expectedText, expectedValue, yes } from "./expected.ts";
import { logLines } from "./log-lines.ts";
import { byPeer, frame, type PeerKind } from "./peers.ts";
import { expectedCoils, expectedRegisters } from "./registers.ts";
import type { ScenarioContext } from "./scenario-context.ts";

/** The names of what a manifest declares, and their aliases. */
export function namesOf(
  declared: ReadonlyMap<string, { readonly id: string; readonly aliases: readonly string[] }>,
): readonly string[] {
  return [...declared.values()].flatMap(({ id, aliases }) => [id, ...aliases]);
}

const telemetryName = r.nameKey("telemetry attribute", ({ blueprint }: ScenarioContext) => [
  ...namesOf(blueprint.telemetry),
  // Every device may send alerts.
  "alerts",
]);
const propertyName = r.nameKey("property", ({ blueprint }: ScenarioContext) => namesOf(blueprint.properties));
const alertName = r.nameIn("alert", ({ blueprint }: ScenarioContext) => blueprint.alerts.keys());

const ALERT_FIELDS = {
  active: r.may(r.listOf(alertName), "Exactly these are active at the end of the step."),
  raised: r.withDefault(r.oneOrMore(r.placed(alertName)), [], "These became active during the step."),
  cleared: r.withDefault(r.oneOrMore(r.placed(alertName)), [], "These were active and are no longer."),
} satisfies r.Fields;

const alerts = r.byForm<r.ReadFields<typeof ALERT_FIELDS>>({
  list: r.mapped(r.listOf(alertName), (active) => ({ active, raised: [], cleared: [] })),
  scalar: r.mapped(r.oneOf(["none"]), () => ({ active: [], raised: [], cleared: [] })),
  map: r.object("expectation of alerts", ALERT_FIELDS),
  wanted: "a list of the active alerts, none, or {raised: ..., cleared: ...}",
});

const requestLine = r.scalar({ type: "string" }, "a method and a path, such as POST /limit", ({ text }) => {
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(text) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
});

const REQUEST_FIELDS = {
  request: r.must(requestLine, "Method and path, such as POST /limit; a * in the path matches anything."),
  body: r.may(expectedText, "The body as text."),
  json: r.may(expectedJson, "The body as JSON; fields that are not listed may be there as well."),
  headers: r.withDefault(r.record(r.anyKey("header"), expectedText), new Map(), "Headers by name."),
} satisfies r.Fields;

export type ExpectedRequest = r.ReadFields<typeof REQUEST_FIELDS>;

const request = r.objectOr("request", REQUEST_FIELDS, {
  field: "request",
  wanted: "a method and a path, such as POST /limit",
});

const message = r.object("message", {
  topic: r.must(r.text, "Its topic."),
  payload: r.may(expectedText, "The payload as text."),
  json: r.may(expectedJson, "The payload as JSON; fields that are not listed may be there as well."),
});

const OUTPUT_FIELDS = { volts: r.may(expectedValue, "Voltage."), amps: r.may(expectedValue, "Current.") };

export interface ExpectedOutput extends r.ReadFields<typeof OUTPUT_FIELDS> {
  readonly state?: "closed" | "open" | "high" | "low";
}

const output = r.byForm<ExpectedOutput>({
  scalar: r.mapped(r.oneOf(["closed", "open", "high", "low"]), (state) => ({ state })),
  map: r.object("output", OUTPUT_FIELDS),
  wanted: "closed, open, high, low, or {volts: 5}",
});

const WRITTEN = {
  holdings: r.withDefault(expectedRegisters, new Map(), "Holding registers that were written, by number."),
  coils: r.withDefault(expectedCoils, new Map(), "Coils that were written, by number."),
} satisfies r.Fields;

const writes = r.mapped(
  r.object("expectation of writes", {
    ...WRITTEN,
    units: r.withDefault(r.record(r.anyKey("unit"), r.object("unit", WRITTEN)), new Map(), "The same by unit."),
  }),
  ({ units, ...own }) => [
    ...writesOf(undefined, own),
    ...[...units].flatMap(([unit, tables]) => writesOf(Number(unit), tables)),
  ],
);

export type ExpectedWrite = ReturnType<typeof writesOf>[number]["value"];

/** Without a unit: the only unit of the peer, or any. */
function writesOf(unit: number | undefined, tables: r.ReadFields<typeof WRITTEN>) {
  return (["holdings", "coils"] as const).flatMap((table) =>
    [...tables[table]].map(([first, { place, value }]) => ({ place, value: { unit, table, first, ...value } })),
  );
}

const orNothing = <T>(one: r.Reader<T>) => r.placed(r.wordOr("nothing", "nothing" as const, one));

/** What peers of a kind got, in this order, or `nothing`. */
const callsOf = <T>(kind: PeerKind, call: r.Reader<T>) => byPeer([kind], orNothing(r.oneOrMore(r.placed(call))));

const value = r.placed(expectedValue);
const texts = r.oneOrMore(r.placed(expectedText));
const none = new Map<string, never>();

const FIELDS = {
  telemetry: r.withDefault(
    r.record(telemetryName, value),
    none,
    "What the script sent in this step, by attribute: the last value, or absent.",
  ),
  properties: r.withDefault(r.record(propertyName, value), none, "The same for properties."),
  alerts: r.may(r.placed(alerts), "Active alerts as a list, none, or what was raised and cleared."),
  response: r.may(
    r.placed(r.record(r.anyKey("field of the response"), value)),
    "The command succeeded, and its response has these fields.",
  ),
  error: r.may(r.placed(expectedText), "The command failed with a message that contains this."),
  refused: r.may(r.placed(expectedText), "An interlock refused the command, with a message that contains this."),
  progress: r.withDefault(texts, [], "Progress that the command reported, in this order."),
  no_response: r.may(r.placed(yes), "The command has not ended."),
  log: r.withDefault(logLines, [], "Lines that the script logged in this step."),
  no_log: r.withDefault(logLines, [], "Lines that the script did not log in this step."),
  lua_error: r.withDefault(texts, [], "Uncaught errors of the script that are wanted here."),
  storage: r.withDefault(r.record(r.anyKey("key"), value), none, "What the storage holds."),
  controls: r.withDefault(expectedControls, none, "How controls stand at the end of the step."),
  writes: r.withDefault(byPeer(["modbus"], orNothing(writes)), none, "What was written to Modbus peers."),
  requests: r.withDefault(callsOf("http", request), none, "Requests to HTTP peers, in this order."),
  frames: r.withDefault(callsOf("can", frame), none, "Frames sent to CAN peers, in this order."),
  sent: r.withDefault(callsOf("serial", serialBytes), none, "What was sent to serial peers, in this order."),
  published: r.withDefault(callsOf("mqtt", message), none, "What was published to MQTT peers, in this order."),
  outputs: r.withDefault(
    byPeer(["relay", "digitalout", "analogout"], r.placed(output)),
    none,
    "What relays and outputs are at: closed, open, high, low, {volts: 5}.",
  ),
} satisfies r.Fields;

export type Expectations = r.ReadFields<typeof FIELDS>;

const fields = r.object("expectation", FIELDS);

export const expectations = r.reader<Expectations>(fields.schema, (context, trail) => {
  const given = fields.read(context, trail);
  if (given !== undefined) checkOutcome(context, trail, given);
  return given;
});

/** Expectations of one command's outcome exclude each other. */
function checkOutcome(
  context: r.ReadContext,
  trail: Trail,
  { response, error, refused, noResponse }: Expectations,
): void {
  const outcomes = { response, error, refused, no_response: noResponse };
  const [one, other] = Object.entries(outcomes).flatMap(([key, given]) => (given === undefined ? [] : [quote(key)]));
  if (other === undefined) return;
  const message = `${one} and ${other} do not go together. Keep one of the two.`;
  context.reporter.atKey(trail, { code: "conflicting_keys", message });
}

export const NO_EXPECTATIONS = r.defaultsOf(FIELDS) as Expectations;
