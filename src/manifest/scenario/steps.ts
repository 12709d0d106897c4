// One step of a scenario, in this order: time passes until `at`, changes are made, the command starts, time passes, and
// expectations are checked.
import type { JsonValue } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import { checkInputs } from "#core/value/check-inputs.ts";
import * as r from "#manifest/reader.ts";
import { follow, hasKey, type Trail } from "#manifest/tree.ts";
import { checkTimes } from "./check-times.ts";
import { claims, releases } from "./claims.ts";
import { expectations, NO_EXPECTATIONS, namesOf } from "./expectations.ts";
import { yes } from "./expected.ts";
import { changes, sends } from "./peers.ts";
import type { ScenarioContext } from "./scenario-context.ts";

/** A parameter that the manifest declares, of its declared type. */
const parameter = r.reader<JsonValue>({}, (context: ScenarioContext, trail) => {
  const value = r.anything.read(context, trail);
  const name = String(trail.step);
  const declared = context.blueprint.configuration.get(String(trail.parent?.step))?.parameters.get(name);
  if (value === undefined || declared === undefined) return value;
  const input = { ...declared, required: false, sensitive: false };
  for (const { message } of checkInputs(new Map([[name, input]]), { [name]: value }, () => undefined).problems)
    context.reporter.atValue(trail, { code: "wrong_type", message: `${message}.` });
  return value;
});

const bucket = r.reader<ReadonlyMap<string, JsonValue>>({ type: "object" }, (context, trail) => {
  const name = String(trail.step);
  const known = ({ blueprint }: ScenarioContext) => blueprint.configuration.get(name)?.parameters.keys() ?? [];
  return r.record(r.nameKey(`parameter of ${name}`, known), parameter).read(context, trail);
});

const bucketName = r.nameKey("configuration bucket", ({ blueprint }: ScenarioContext) =>
  blueprint.configuration.keys(),
);

export type Buckets = ReadonlyMap<string, ReadonlyMap<string, JsonValue>>;

export const buckets: r.Reader<Buckets> = r.record(bucketName, bucket);

const storedText = r.scalar(
  { type: ["string", "null"] },
  "a text, or nothing to remove the key",
  ({ value, text }): string | null => (value === null ? null : text),
);

export const stored = r.record(r.anyKey("key"), storedText);

const command = r.nameIn("command", ({ blueprint }: ScenarioContext) => namesOf(blueprint.commands));

const FIELDS = {
  name: r.may(r.text, "What happens in this step, in words."),
  at: r.may(r.duration, "First lets time pass until this moment, counted from the start."),
  set: r.withDefault(changes, new Map(), "Changes peers: registers, answers, silent, well."),
  send: r.withDefault(sends, new Map(), "Lets peers send on their own: frames, bytes, messages."),
  configure: r.may(buckets, "Writes configuration, as a person would."),
  store: r.may(stored, "Writes the device's storage; an empty value removes the key."),
  connected: r.may(r.flag, "Reports to the script that the connection was lost, or is back."),
  clock: r.may(r.moment, "Sets the wall clock, as a time server does it. No time passes."),
  restart: r.may(yes, "Ends the script and starts it again. Storage stays."),
  claim: r.withDefault(claims, [], "Claims controls, as a person or a program would."),
  release: r.withDefault(releases, [], "Ends all claims of these controls."),
  command: r.may(command, "Runs a command and waits for its end, at most a minute."),
  arguments: r.may(r.anything, "Arguments of the command; defaults of the manifest are filled in."),
  wait: r.may(r.duration, "Lets exactly this time pass."),
  within: r.may(r.duration, "Lets time pass until everything expected holds, at most this long."),
  expect: r.withDefault(expectations, NO_EXPECTATIONS, "What has to hold at the end of the step."),
} satisfies r.Fields;

export interface Step extends Omit<r.ReadFields<typeof FIELDS>, "command" | "arguments"> {
  readonly place: Position;
  readonly command?: StepCommand | undefined;
}

export interface StepCommand {
  readonly place: Position;
  readonly name: string;
  /** Defaults filled in. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

const fields = r.object("step", FIELDS);

export const step = r.shared(
  "step",
  r.reader<Step>(fields.schema, (context: ScenarioContext, trail) => {
    const given = fields.read(context, trail);
    if (given === undefined) return undefined;
    checkTimes(context, trail);
    const command = commandOf(context, trail, { name: given.command, values: given.arguments });
    return { ...given, place: context.positionOf(trail.node.start), command };
  }),
);

interface GivenCommand {
  readonly name: string | undefined;
  readonly values: JsonValue | undefined;
}

/** Arguments are held against the manifest as the service does it, so the script never sees what it could not get. */
function commandOf(context: ScenarioContext, trail: Trail, { name, values }: GivenCommand): StepCommand | undefined {
  const given = follow(trail, ["arguments"]);
  const hasArguments = hasKey(trail, "arguments");
  if (hasArguments && !hasKey(trail, "command"))
    return context.reporter.atKey(given, { code: "missing_key", message: "arguments need a command." });
  const declared = [...context.blueprint.commands.values()].find(
    ({ id, aliases }) => name !== undefined && (id === name || aliases.includes(name)),
  );
  if (declared === undefined) return undefined;
  if (hasArguments && given.node.kind !== "map") return r.wrong(context, given, "an object with the arguments");
  const command = follow(trail, ["command"]);
  const checked = checkInputs(declared.arguments, isRecord(values) ? values : {}, () => undefined);
  for (const problem of checked.problems) {
    const isUnknown = !declared.arguments.has(problem.name);
    const message = isUnknown
      ? problem.message.replace("there is no", `${declared.id} has no argument`)
      : `${declared.id}: ${problem.message}`;
    context.reporter.atKey(hasArguments ? follow(given, [problem.name]) : command, {
      code: isUnknown ? "unknown_key" : "wrong_type",
      message: `${message}.`.replace("?.", "?"),
    });
  }
  return { place: r.placeOf(context, command), name: declared.id, arguments: checked.values };
}

function isRecord(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
