// One step of a rule's scenario, in this order: time passes until `at`, changes are made, time passes, and expectations are checked.
import type { Position } from "#core/blueprint/issue.ts";
import * as r from "#manifest/reader.ts";
import { checkTimes } from "#manifest/scenario/check-times.ts";
import { claim } from "#manifest/scenario/claims.ts";
import { NO_EXPECTATIONS, ruleExpectations } from "./expectations.ts";
import { type RequestAnswer, requestAnswers } from "./http.ts";
import { type GivenTariff, tariff } from "./prices.ts";
import { byDevice, deviceName } from "./scenario-context.ts";
import { COMMAND_ENDS, calendarState, type DeviceChange, deviceChanges, variables } from "./site.ts";

const execution = r.object("execution", {
  device: r.must(deviceName, "The device."),
  command: r.must(r.text, "Its command."),
  ended: r.withDefault(r.oneOf(COMMAND_ENDS), "success", "How it ended: success or error. Default: success."),
});

const restart = r.byForm<number>({
  scalar: r.wordOr(true, 0, r.duration),
  wanted: "true, or for how long it is off, such as 5m",
});

const NO_TARIFF: GivenTariff = new Map();

const FIELDS = {
  name: r.may(r.text, "What happens in this step, in words."),
  at: r.may(r.duration, "First lets time pass until this moment, counted from the start."),
  clock: r.may(r.moment, "Sets the clock of the gateway, as a time server does it. No time passes."),
  restart: r.may(
    restart,
    "The gateway ends and begins again: at once with true, or after so long. What is stored stays.",
  ),
  set: r.withDefault(
    deviceChanges,
    new Map<string, DeviceChange>(),
    "Changes devices: what they measure, silent, offline, well.",
  ),
  variables: r.withDefault(variables, new Map(), "Sets variables, as a person does it."),
  calendars: r.withDefault(
    r.record(r.anyKey("calendar"), calendarState),
    new Map(),
    "Calendars go on, off, or to a value.",
  ),
  tariff: r.withDefault(tariff, NO_TARIFF, "Prices change, or become known."),
  http: r.withDefault(
    requestAnswers,
    new Map<string, readonly RequestAnswer[]>(),
    "From now on servers answer this, by method and address.",
  ),
  claim: r.withDefault(
    byDevice(r.record(r.anyKey("control"), claim)),
    new Map(),
    "Somebody else claims controls, by device: a person unless class says otherwise.",
  ),
  release: r.withDefault(
    byDevice(r.oneOrMore(r.text)),
    new Map(),
    "All claims of others on these controls end, by device.",
  ),
  execution: r.may(execution, "A command that somebody else executed has ended."),
  wait: r.may(r.duration, "Lets exactly this time pass."),
  within: r.may(r.duration, "Lets time pass until everything expected holds, at most this long."),
  expect: r.withDefault(ruleExpectations, NO_EXPECTATIONS, "What has to hold at the end of the step."),
} satisfies r.Fields;

export interface RuleStep extends r.ReadFields<typeof FIELDS> {
  readonly place: Position;
}

const fields = r.object("step", FIELDS);

export const ruleStep = r.shared(
  "step",
  r.reader<RuleStep>(fields.schema, (context, trail) => {
    const given = fields.read(context, trail);
    if (given === undefined) return undefined;
    checkTimes(context, trail);
    return { ...given, place: context.positionOf(trail.node.start) };
  }),
);
