// The controls under `.busbar` of a manifest or a profile: which quantities can be controlled, and how.
import {
  type ControlCall,
  type DeclaredControl,
  type DeclaredFallback,
  SAFE_SIDES,
} from "#core/control/declared-control.ts";
import {
  anyKey,
  anything,
  duration,
  keyOf,
  mapped,
  may,
  must,
  number,
  object,
  oneOf,
  type Reader,
  type ReadFields,
  reader,
  record,
  scalar,
  text,
  withDefault,
} from "#manifest/reader.ts";

/** More quantities than a device has; each costs work in every cycle. */
export const MOST_CONTROLS = 32;
const ID = /^[A-Za-z][A-Za-z0-9_]*$/;

const values: Reader<ReadonlyMap<string, unknown>> = record(anyKey("argument"), anything);

const positive = scalar({ type: "number", exclusiveMinimum: 0 }, "a number above 0", ({ value }) =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined,
);

const fallbackValue = scalar({ type: ["number", "string"] }, "a number, min or max", ({ value }) =>
  value === "min" || value === "max" || (typeof value === "number" && Number.isFinite(value)) ? value : undefined,
);

const fallbackFields = object("fallback", {
  value: may(
    fallbackValue,
    "The value that is written: a number, min or max. Beside a command: the value that the device has after it.",
  ),
  command: may(text, "The command that is executed instead."),
  arguments: may(values, "Arguments of that command."),
});

const fallback: Reader<DeclaredFallback> = reader(fallbackFields.schema, (context, trail) => {
  const read = fallbackFields.read(context, trail);
  if (read === undefined) return undefined;
  if (read.value !== undefined && read.command === undefined && read.arguments === undefined)
    return { kind: "value", value: read.value };
  if (read.command !== undefined)
    return { kind: "command", command: read.command, arguments: read.arguments ?? new Map(), value: read.value };
  // What could not be read has already been reported.
  const isBroken = read.value === undefined && trail.node.kind === "map" && trail.node.entries.has("value");
  if (isBroken) return undefined;
  const message = "A fallback is {value: ...} or {command: ..., arguments: ...}.";
  return context.reporter.atKey(trail, { code: "bad_control", message });
});

const call: Reader<ControlCall> = mapped(
  object("call", {
    command: must(text, "The command that is executed."),
    arguments: may(values, "Its arguments."),
  }),
  (read) => ({ command: read.command, arguments: read.arguments ?? new Map() }),
);

const FIELDS = {
  display_name: may(text, "Name of the quantity. Default: that of the argument."),
  command: must(text, "The command that sets it."),
  argument: must(text, "The argument of the command that has the value."),
  arguments: may(values, "Other arguments that every write has."),
  reads: may(text, "The telemetry attribute that measures what the device does."),
  unit: may(text, "Unit of the control. Default: that of the argument."),
  min: may(number, "Lowest value. Default: that of the argument."),
  max: may(number, "Highest value. Default: that of the argument."),
  step: may(positive, "Values are multiples of it."),
  refresh: may(duration, "How long the device keeps a value. It is written again after half of this time."),
  tolerance: may(positive, "Largest difference between value and measurement. Default: 5 % of the range."),
  settle: withDefault(duration, 30_000, "How long the device may take to follow. Default: 30s."),
  ramp: may(positive, "Largest change per second."),
  interval: withDefault(duration, 1000, "Shortest time between two writes. Default: 1s."),
  safe: withDefault(oneOf(SAFE_SIDES), "zero", "What counts if limits contradict each other. Default: zero."),
  prepare: may(call, "A command that is executed before the first value, such as one that takes over."),
  fallback: may(fallback, "What is done when nobody claims the control any more."),
};

const fields = object("control", FIELDS);

export const controls: Reader<ReadonlyMap<string, DeclaredControl>> = mapped(
  record(
    keyOf("control", "It is made of letters, digits and _, beginning with a letter.", (key) =>
      ID.test(key) ? key : undefined,
    ),
    fields,
  ),
  (read) => new Map([...read].map(([id, one]) => [id, declaredControl(id, one)])),
);

function declaredControl(id: string, read: ReadFields<typeof FIELDS>): DeclaredControl {
  return {
    id,
    displayName: read.displayName,
    command: read.command,
    argument: read.argument,
    arguments: read.arguments ?? new Map(),
    reads: read.reads,
    unit: read.unit,
    min: read.min,
    max: read.max,
    step: read.step,
    refreshMs: read.refresh,
    tolerance: read.tolerance,
    settleMs: read.settle,
    ramp: read.ramp,
    intervalMs: read.interval,
    safe: read.safe,
    prepare: read.prepare,
    fallback: read.fallback,
  };
}
