import type { JsonValue } from "#core/blueprint/blueprint.ts";
import { NO_EXPECTATIONS } from "#core/scenario/no-expectations.ts";
import type { Buckets, PeerChange, Sent, Step, StepCommand } from "#core/scenario/scenario.ts";
import { checkInputs, type DeclaredInput } from "#core/value/check-inputs.ts";
import { entryTrail, type Trail } from "#manifest/tree.ts";
import { byteString, frameData, serialBytes } from "./read-bytes.ts";
import { checkOutcome, expectations } from "./read-expectations.ts";
import { yes } from "./read-expected-value.ts";
import { anyChangeSchema, frameId, peerChange } from "./read-peer.ts";
import {
  anything,
  duration,
  flag,
  mapReader,
  may,
  moment,
  must,
  placed,
  placeOf,
  type Reader,
  type ScenarioContext,
  text,
  withDefault,
  wrong,
} from "./reader.ts";
import { knownKey, nameIn, object, oneOrMore, recordOf, textRecord } from "./reader-shapes.ts";

const peerNames = ({ peers }: ScenarioContext): Iterable<string> => peers.keys();

export const changes: Reader<ReadonlyMap<string, PeerChange>> = recordOf({
  keys: "peer",
  key: knownKey("peer", peerNames),
  value: ({ peers }, name) => peerChange(peers.get(name) ?? { kind: "mqtt", words: "big", unit: 1 }),
  schema: anyChangeSchema,
});

const frame = object("frame", { id: must(frameId, "Identifier, such as 0x351."), data: must(frameData, "Its bytes.") });

const message = mapReader(
  object("message", {
    topic: must(text, "Its topic."),
    payload: withDefault(text, "", "The payload as text."),
    json: may(anything, "The payload as JSON."),
  }),
  ({ topic, payload, json }) => ({
    topic,
    payload: byteString(json === undefined ? payload : JSON.stringify(json)),
  }),
);

const SENT: Readonly<Record<string, Reader<Sent>>> = {
  can: mapReader(oneOrMore(frame), (frames) => ({ kind: "frames", frames })),
  serial: mapReader(serialBytes, (bytes) => ({ kind: "bytes", bytes })),
  mqtt: mapReader(oneOrMore(message), (messages) => ({ kind: "messages", messages })),
};

const sends: Reader<ReadonlyMap<string, Sent>> = recordOf({
  keys: "peer",
  key: knownKey("can, serial or mqtt peer", ({ peers }) =>
    [...peers].filter(([, { kind }]) => SENT[kind] !== undefined).map(([name]) => name),
  ),
  value: ({ peers }, name) => SENT[peers.get(name)?.kind ?? ""] ?? { schema: {}, read: () => undefined },
  schema: { anyOf: Object.values(SENT).map(({ schema }) => schema) },
});

/** Buckets and parameters that the manifest declares, each of its declared type. */
export const buckets: Reader<Buckets> = recordOf({
  keys: "configuration bucket",
  key: knownKey("configuration bucket", ({ blueprint }) => blueprint.configuration.keys()),
  value: (_, bucket) => parametersOf(bucket),
  schema: { type: "object" },
});

function parametersOf(bucket: string): Reader<ReadonlyMap<string, JsonValue>> {
  return recordOf({
    keys: "parameter",
    key: knownKey(
      `parameter of ${bucket}`,
      ({ blueprint }) => blueprint.configuration.get(bucket)?.parameters.keys() ?? [],
    ),
    value: (_, name) => ({
      schema: {},
      read: (context, trail) => {
        const value = anything.read(context, trail);
        const declared = context.blueprint.configuration.get(bucket)?.parameters.get(name);
        if (value !== undefined && declared !== undefined) checkOne(context, trail, { name, declared, value });
        return value;
      },
    }),
    schema: {},
  });
}

interface OneInput {
  readonly name: string;
  readonly declared: DeclaredInput;
  readonly value: JsonValue;
}

function checkOne(context: ScenarioContext, trail: Trail, { name, declared, value }: OneInput): void {
  const input = { ...declared, required: false, sensitive: false };
  const { problems } = checkInputs(new Map([[name, input]]), { [name]: value }, () => undefined);
  for (const problem of problems) {
    context.reporter.atValue(trail, { code: "wrong_type", message: `${problem.message}.` });
  }
}

const storedText: Reader<string | null> = {
  schema: { type: ["string", "null"] },
  read: (context, trail) => {
    const { node } = trail;
    if (node.kind === "scalar") return node.value === null ? null : node.text;
    return wrong(context, trail, "a text, or nothing to remove the key");
  },
};

export const stored: Reader<ReadonlyMap<string, string | null>> = textRecord("key", storedText);

const commandNames = ({ blueprint }: ScenarioContext): readonly string[] =>
  [...blueprint.commands.values()].flatMap(({ id, aliases }) => [id, ...aliases]);

const stepFields = object("step", {
  name: may(text, "What happens in this step, in words."),
  at: may(duration, "First lets time pass until this moment, counted from the start."),
  set: may(changes, "Changes peers: registers, answers, silent, well."),
  send: may(sends, "Lets peers send on their own: frames, bytes, messages."),
  configure: may(buckets, "Writes configuration, as a person would."),
  store: may(stored, "Writes the device's storage; an empty value removes the key."),
  connected: may(flag, "Tells the script that the connection was lost, or is back."),
  clock: may(moment, "Sets the wall clock, as a time server does it. No time passes."),
  restart: may(yes, "Ends the script and starts it again. Storage stays."),
  command: may(placed(nameIn("command", commandNames)), "Runs a command and waits for its end, at most a minute."),
  arguments: may(anything, "Arguments of the command; defaults of the manifest are filled in."),
  wait: may(duration, "Lets exactly this time pass."),
  within: may(duration, "Lets time pass until everything expected holds, at most this long."),
  expect: may(expectations, "What has to hold at the end of the step."),
});

export const step: Reader<Step> = {
  schema: stepFields.schema,
  read: (context, trail) => {
    const given = stepFields.read(context, trail);
    if (given === undefined) return undefined;
    const { name, at, set, send, configure, store, connected, restart, wait, within, expect } = given;
    const expectTrail = childOf(trail, "expect");
    if (expect !== undefined && expectTrail !== undefined) checkOutcome(context, expectTrail, expect);
    if (wait !== undefined && within !== undefined) {
      const message = "wait lets exactly so much time pass, within at most so much. Keep one of the two.";
      context.reporter.atKey(childOf(trail, "within") ?? trail, { code: "conflicting_keys", message });
    }
    if (wait === undefined && within !== undefined && expect === undefined && given.command === undefined) {
      const message = "within waits for what is expected, but nothing is. Add expect, or write wait.";
      context.reporter.atKey(childOf(trail, "within") ?? trail, { code: "missing_key", message });
    }
    return {
      place: context.positionOf(trail.node.start),
      name,
      at,
      changes: set ?? new Map(),
      sends: send ?? new Map(),
      configuration: configure,
      storage: store,
      isConnected: connected,
      clock: given.clock,
      restarts: restart === true,
      command: commandOf(context, trail, given),
      wait,
      within,
      expect: expect ?? NO_EXPECTATIONS,
    };
  },
};

function childOf(trail: Trail, key: string): Trail | undefined {
  const entry = trail.node.kind === "map" ? trail.node.entries.get(key) : undefined;
  return entry && entryTrail(trail, entry);
}

interface GivenCommand {
  readonly command: { readonly value: string } | undefined;
  readonly arguments: JsonValue | undefined;
}

/** Arguments are held against the manifest as the service does it, so the script never sees what it could not get. */
function commandOf(context: ScenarioContext, trail: Trail, given: GivenCommand): StepCommand | undefined {
  const inner = childOf(trail, "arguments");
  if (given.command === undefined) {
    if (inner !== undefined && childOf(trail, "command") === undefined) {
      context.reporter.atKey(inner, { code: "missing_key", message: "arguments need a command." });
    }
    return undefined;
  }
  const name = given.command.value;
  const { commands } = context.blueprint;
  const declared = commands.get(name) ?? [...commands.values()].find(({ aliases }) => aliases.includes(name));
  if (declared === undefined) return undefined;
  if (inner !== undefined && inner.node.kind !== "map") return wrong(context, inner, "an object with the arguments");
  const values = isRecord(given.arguments) ? given.arguments : {};
  const checked = checkInputs(declared.arguments, values, () => undefined);
  for (const { name: argument, message } of checked.problems) {
    const at = (inner && childOf(inner, argument)) ?? inner ?? childOf(trail, "command") ?? trail;
    const isUnknown = !declared.arguments.has(argument);
    const text = isUnknown
      ? message.replace("there is no", `${declared.id} has no argument`)
      : `${declared.id}: ${message}`;
    context.reporter.atKey(at, {
      code: isUnknown ? "unknown_key" : "wrong_type",
      message: `${text}.`.replace("?.", "?"),
    });
  }
  return { place: placeOf(context, childOf(trail, "command") ?? trail), name: declared.id, arguments: checked.values };
}

function isRecord(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
