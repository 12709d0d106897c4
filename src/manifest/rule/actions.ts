// What a rule does: the list below `then` and `else`.
import type { JsonValue } from "#core/blueprint/blueprint.ts";
import { CLAIM_KINDS } from "#core/control/claim.ts";
import { LONGEST_REASON } from "#core/control/control-record.ts";
import {
  type Action,
  type ClaimAction,
  type ComputedAmount,
  DEFAULT_LEASE_MS,
  MOST_TERMS,
  type PlainValue,
  SEVERITIES,
} from "#core/rule/rule.ts";
import { VARIABLE_NAME } from "#core/rule/site-rule.ts";
import { checkInputs } from "#core/value/check-inputs.ts";
import * as r from "#manifest/reader.ts";
import { follow, hasKey, pointer, type Trail } from "#manifest/tree.ts";
import { plainValue } from "./amounts.ts";
import { amount, computed } from "./computed.ts";
import { byKey, device, deviceOf, lasting, longText, name, named, type RuleContext } from "./rule-context.ts";

function form<const F extends r.Fields>(
  what: string,
  fields: F,
  make: (given: r.ReadFields<F>, context: RuleContext, trail: Trail) => Action | undefined,
): r.Reader<Action> {
  const read = r.object(what, fields);
  return r.reader(read.schema, (context: RuleContext, trail) => {
    const given = read.read(context, trail);
    return given && make(given, context, trail);
  });
}

const limit = r.wordOr("unlimited", "unlimited" as const, amount);
const reason = r.scalar(
  { type: "string", maxLength: LONGEST_REASON },
  `a text of at most ${LONGEST_REASON} characters`,
  ({ value }) => (typeof value === "string" && value.length <= LONGEST_REASON ? value : undefined),
);

const claim = form(
  "claim",
  {
    claim: r.must(name, "The control."),
    device: r.must(device, "The device, by its id or slug."),
    target: r.may(amount, "The wanted value, in the unit of the control."),
    min: r.may(limit, "The lowest value that is allowed, or unlimited."),
    max: r.may(limit, "The highest value that is allowed, or unlimited."),
    lease: r.withDefault(
      lasting("5s", "1h"),
      DEFAULT_LEASE_MS,
      "It ends so long after the rule was last heard of. Default: 60s.",
    ),
    hold: r.may(
      lasting("1s"),
      "It is held for exactly so long. Default: while the rule is on; in else, while it is off.",
    ),
    reason: r.may(reason, "Why, in words for people. Default: the name of the rule."),
  },
  (given, context, trail): ClaimAction | undefined => {
    const [kind, other] = CLAIM_KINDS.filter((key) => hasKey(trail, key));
    const wrong = (key: string, code: "missing_key" | "conflicting_keys", message: string) =>
      context.reporter.atKey(follow(trail, [key]), { code, message });
    if (kind === undefined) return wrong("claim", "missing_key", "A claim needs a target, a min or a max.");
    if (other !== undefined)
      return wrong(
        other,
        "conflicting_keys",
        `A claim has one of target, min and max. For ${other}, write a second claim.`,
      );
    const value = given[kind];
    if (value === undefined) return undefined;
    checkClaim(context, trail, { device: given.device, control: given.claim, kind, value });
    return {
      kind: "claim",
      place: pointer(trail),
      device: given.device,
      control: given.claim,
      claim: kind,
      value,
      leaseMs: given.lease,
      holdMs: given.hold,
      reason: given.reason,
    };
  },
);

interface GivenClaim extends Pick<ClaimAction, "device" | "control" | "value"> {
  readonly kind: ClaimAction["claim"];
}

function checkClaim(context: RuleContext, trail: Trail, { device: of, control, kind, value }: GivenClaim): void {
  const known = deviceOf(context, of);
  if (known === undefined) return;
  const what = `control of ${of}`;
  if (named(context, follow(trail, ["claim"]), { what, word: control, known: known.controls.keys() }) === undefined)
    return;
  const { min, max } = known.controls.get(control) ?? { min: -Infinity, max: Infinity };
  if (typeof value === "number" && (value < min || value > max))
    context.reporter.atValue(follow(trail, [kind]), {
      code: "wrong_type",
      message: `${control} of ${of} goes from ${min} to ${max}.`,
    });
}

const execute = form(
  "command",
  {
    execute: r.must(name, "The command."),
    device: r.must(device, "The device, by its id or slug."),
    arguments: r.may(r.anything, "Arguments of the command; defaults of the manifest are filled in."),
  },
  (given, context, trail) => {
    const values = given.arguments ?? {};
    if (!isRecord(values)) return r.wrong(context, follow(trail, ["arguments"]), "an object with the arguments");
    checkCommand(context, trail, { device: given.device, command: given.execute, values });
    return { kind: "execute", place: pointer(trail), device: given.device, command: given.execute, arguments: values };
  },
);

function isRecord(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkCommand(
  context: RuleContext,
  trail: Trail,
  { device: of, command, values }: { device: string; command: string; values: Readonly<Record<string, unknown>> },
): void {
  const known = deviceOf(context, of)?.commands;
  if (known === undefined) return;
  const what = `command of ${of}`;
  const place = follow(trail, ["execute"]);
  if (named(context, place, { what, word: command, known: known.keys() }) === undefined) return;
  const declared = known.get(command)?.arguments ?? new Map();
  for (const problem of checkInputs(declared, values, () => undefined).problems) {
    const given = hasKey(trail, "arguments") ? follow(trail, ["arguments", problem.name]) : place;
    const code = declared.has(problem.name) ? "wrong_type" : "unknown_key";
    context.reporter.atKey(given, { code, message: `${command}: ${problem.message}.`.replace("?.", "?") });
  }
}

const VALUE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const valueName = r.keyOf("name of a value", "It has letters, digits and _.", (key) =>
  VALUE_NAME.test(key) ? key : undefined,
);

const notify = form(
  "message",
  {
    notify: r.must(longText, "The text of the message."),
    title: r.may(name, "Its title. Default: the name of the rule."),
    severity: r.withDefault(r.oneOf(SEVERITIES), "info", "How urgent it is: info, warning or error. Default: info."),
    values: r.may(r.record(valueName, amount), "Numbers that stand in the text in braces: {soc}."),
  },
  (given, context, trail) => {
    const { notify: text, title, severity } = given;
    const values = [...(given.values ?? [])];
    const place = follow(trail, ["values"]);
    if (values.length > MOST_TERMS)
      context.reporter.atKey(place, {
        code: "document_too_complex",
        message: `A message has at most ${MOST_TERMS} values.`,
      });
    for (const [one] of values.filter(([one]) => !text.includes(`{${one}}`)))
      context.reporter.atKey(follow(place, [one]), { code: "unknown_key", message: `The text has no {${one}}.` });
    return { kind: "notify", place: pointer(trail), text, title, severity, values };
  },
);

const set = form(
  "change of a variable",
  {
    set: r.must(name, "The variable."),
    to: r.must(
      r.byForm<PlainValue | ComputedAmount>({
        scalar: plainValue,
        map: computed,
        wanted: "a value, or an object such as {device: meter, attribute: power}",
      }),
      "Its new value.",
    ),
  },
  (given, context, trail) => {
    if (!VARIABLE_NAME.test(given.set)) {
      const message = "The name of a variable has 1 to 64 letters, digits and _, and does not begin with a digit.";
      context.reporter.atValue(follow(trail, ["set"]), { code: "bad_id", message });
    }
    return { kind: "set", place: pointer(trail), variable: given.set, value: given.to };
  },
);

const wait = form("wait", { wait: r.must(lasting("1s"), "How long.") }, (given, _, trail) => ({
  kind: "wait",
  place: pointer(trail),
  ms: given.wait,
}));

export const action = r.shared(
  "action",
  byKey<Action>("action", [
    ["claim", claim],
    ["execute", execute],
    ["notify", notify],
    ["set", set],
    ["wait", wait],
  ]),
);
