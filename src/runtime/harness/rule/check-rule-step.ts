// The expectations of one step of a rule's scenario against what the rule did.
import type { ClaimKind } from "#core/control/claim.ts";
import {
  describeExpected,
  describeValue,
  type ExpectedValue,
  isExpectedOrAbsent,
} from "#core/scenario/expected-value.ts";
import { type Failure, unmet } from "#core/scenario/test-report.ts";
import type { Placed } from "#manifest/reader.ts";
import type {
  ExpectedCommand,
  ExpectedMessage,
  ExpectedRun,
  RuleExpectations,
} from "#manifest/rule-scenario/expectations.ts";
import type { ExpectedRequest } from "#manifest/rule-scenario/http.ts";
import { checkErrors, checkLog, checkStorage } from "#runtime/harness/check-script.ts";
import type { RuleRecord, RunOfRule } from "./rule-record.ts";
import type { ClaimedByRule } from "./scenario-site.ts";
import type { RequestOfRule } from "./tested-rule.ts";

export interface RuleView {
  readonly record: RuleRecord;
  /** Index of the first happening of the step. */
  readonly from: number;
  readonly claimed: ReturnType<ClaimedByRule>;
  readonly isOn: boolean | undefined;
  readonly variable: (name: string) => unknown;
  readonly stored: (key: string) => string | undefined;
}

export function checkRuleStep(view: RuleView, expect: RuleExpectations): readonly Failure[] {
  const { record, from } = view;
  return [
    ...checkClaims(view, expect),
    ...checkCommands(view, expect),
    ...checkMessages(view, expect),
    ...checkRequests(view, expect),
    ...checkRuns(view, expect),
    ...checkState(view, expect),
    ...checkStorage(view.stored, expect.storage),
    ...checkLog(record.since(from, "log"), expect),
    ...checkErrors(
      "error",
      record.since(from, "error").map(({ message }) => message),
      expect.error,
    ),
  ];
}

type Claimed = RuleView["claimed"][number];

const claimText = ({ device, control, claim, value }: Claimed) =>
  `${device} ${control}${claim === "target" ? "" : ` ${claim}`} ${value}`;

function checkClaims({ claimed }: RuleView, { claims, limits }: RuleExpectations): readonly Failure[] {
  const check = (
    device: string,
    control: string,
    expected: readonly (readonly [ClaimKind, Placed<ExpectedValue>])[],
  ) => {
    const own = claimed.filter((one) => one.device === device && one.control === control);
    return expected.flatMap(([kind, { value: wanted, place }]) => {
      if (isExpectedOrAbsent(wanted, own.find(({ claim }) => claim === kind)?.value)) return [];
      const actual = own
        .map((one) => (one.claim === "target" ? String(one.value) : `${one.claim} ${one.value}`))
        .join(", ");
      const what = `${kind === "target" ? "claim" : `${kind} claimed`} of ${device} ${control}`;
      return [unmet(place, what, { expected: describeExpected(wanted), actual: actual === "" ? "no claim" : actual })];
    });
  };
  return [
    ...wantedOf(claims?.value).flatMap(([device, control, one]) => check(device, control, [["target", one]])),
    ...wantedOf(limits).flatMap(([device, control, { place, value }]) =>
      check(
        device,
        control,
        (["min", "max"] as const).flatMap((kind) => {
          const wanted = value[kind];
          return wanted === undefined ? [] : [[kind, { place, value: wanted }] as const];
        }),
      ),
    ),
    ...(claims?.value === "none" && claimed.length > 0
      ? [unmet(claims.place, "claims", { expected: "none", actual: claimed.map(claimText).join("; ") })]
      : []),
  ];
}

/** By device and control. */
function wantedOf<T>(given: ReadonlyMap<string, ReadonlyMap<string, T>> | "none" | undefined) {
  if (given === undefined || given === "none") return [];
  return [...given].flatMap(([device, controls]) =>
    [...controls].map(([control, one]) => [device, control, one] as const),
  );
}

/** Exactly these, in this order. */
interface Listing<Wanted, Given> {
  readonly what: string;
  readonly fits: (wanted: Wanted, given: Given) => boolean;
  readonly wanted: (one: Wanted) => string;
  readonly given: (one: Given) => string;
}

const MOST_SHOWN = 20;

function checkList<Wanted, Given>(
  { value: wanted, place }: Placed<readonly Placed<Wanted>[]>,
  given: readonly Given[],
  about: Listing<Wanted, Given>,
): readonly Failure[] {
  const wrong = wanted.findIndex(({ value }, n) => {
    const one = given[n];
    return one === undefined || !about.fits(value, one);
  });
  if (wrong === -1 && given.length === wanted.length) return [];
  const more = given.length > MOST_SHOWN ? `, and ${given.length - MOST_SHOWN} more` : "";
  const actual = given.length === 0 ? "none" : `${given.slice(0, MOST_SHOWN).map(about.given).join(", then ")}${more}`;
  const expected = wanted.length === 0 ? "none" : wanted.map(({ value }) => about.wanted(value)).join(", then ");
  return [unmet(wanted[wrong]?.place ?? place, about.what, { expected, actual })];
}

function checkCommands({ record, from }: RuleView, { commands }: RuleExpectations): readonly Failure[] {
  if (commands === undefined) return [];
  const executed = record.since(from, "execute").map(({ effect }) => effect);
  const given = ({ command, arguments: args }: (typeof executed)[number]) =>
    Object.keys(args).length === 0 ? command : `${command} ${describeValue(args)}`;
  if (commands.value === "none") {
    const actual = executed.map((one) => `${given(one)} of ${one.device}`).join(", then ");
    return executed.length === 0 ? [] : [unmet(commands.place, "commands", { expected: "none", actual })];
  }
  const fits = (wanted: ExpectedCommand, { command, arguments: args }: (typeof executed)[number]) =>
    wanted.command === command &&
    [...wanted.arguments].every(([name, value]) =>
      isExpectedOrAbsent(value, Object.hasOwn(args, name) ? args[name] : undefined),
    );
  const wanted = ({ command, arguments: args }: ExpectedCommand) =>
    [command, ...[...args].map(([name, value]) => `${name}: ${describeExpected(value)}`)].join(" ");
  return [...commands.value].flatMap(([device, list]) =>
    checkList(
      list,
      executed.filter((one) => one.device === device),
      { what: `commands of ${device}`, fits, wanted, given },
    ),
  );
}

function checkMessages({ record, from }: RuleView, { messages }: RuleExpectations): readonly Failure[] {
  if (messages === undefined) return [];
  const sent = record.since(from, "notify").map(({ effect }) => effect);
  const fits = (wanted: ExpectedMessage, { text, title, severity }: (typeof sent)[number]) =>
    isExpectedOrAbsent(wanted.text, text) &&
    (wanted.title === undefined || isExpectedOrAbsent(wanted.title, title)) &&
    (wanted.severity === undefined || wanted.severity === severity);
  return checkList(messages, sent, {
    what: "messages",
    fits,
    wanted: ({ severity, text }) => [severity, describeExpected(text)].filter(Boolean).join(": "),
    given: ({ severity, text }) => `${severity}: ${describeValue(text)}`,
  });
}

function checkRequests({ record, from }: RuleView, { requests }: RuleExpectations): readonly Failure[] {
  if (requests === undefined) return [];
  const text = ({ method, url }: RequestOfRule) => `${method} ${url}`;
  const fits = (wanted: ExpectedRequest, one: RequestOfRule) =>
    isExpectedOrAbsent(wanted.request, text(one)) &&
    (wanted.body === undefined || isExpectedOrAbsent(wanted.body, one.body));
  const sent = record.since(from, "request").map(({ request }) => request);
  return checkList(requests, sent, {
    what: "requests",
    fits,
    wanted: ({ request, body }) =>
      [describeExpected(request), body && `with ${describeExpected(body)}`].filter(Boolean).join(" "),
    given: (one) => (one.body === "" ? text(one) : `${text(one)} with ${describeValue(one.body)}`),
  });
}

function checkRuns({ record, from }: RuleView, { runs }: RuleExpectations): readonly Failure[] {
  if (runs === undefined) return [];
  const fits = (wanted: ExpectedRun, run: RunOfRule) =>
    (wanted.outcome === undefined || wanted.outcome === run.outcome) &&
    (wanted.branch === undefined || wanted.branch === run.branch) &&
    (wanted.trigger === undefined || isExpectedOrAbsent(wanted.trigger, run.trigger)) &&
    (wanted.why === undefined || isExpectedOrAbsent(wanted.why, run.why));
  const wanted = ({ outcome, branch, trigger, why }: ExpectedRun) =>
    [
      branch !== undefined && outcome === "ran" ? branch : [outcome, branch].filter(Boolean).join(" "),
      trigger && `by ${describeExpected(trigger)}`,
      why && `because of ${describeExpected(why)}`,
    ]
      .filter(Boolean)
      .join(" ");
  const given = ({ outcome, branch, why }: RunOfRule) => `${outcome === "ran" ? branch : outcome} (${why})`;
  const ran = record.since(from, "run").map(({ run }) => run);
  return checkList(runs, ran, { what: "runs", fits, wanted, given });
}

function checkState(view: RuleView, expect: RuleExpectations): readonly Failure[] {
  const failures: Failure[] = [];
  const { is, explains, variables } = expect;
  if (is !== undefined && (is.value === "on") !== view.isOn) {
    const actual = view.isOn === undefined ? "it has no conditions" : view.isOn ? "on" : "off";
    failures.push(unmet(is.place, "the rule", { expected: is.value, actual }));
  }
  const { explanation } = view.record;
  if (explains !== undefined && !isExpectedOrAbsent(explains.value, explanation)) {
    const expected = describeExpected(explains.value);
    failures.push(unmet(explains.place, "what it explains", { expected, actual: describeValue(explanation) }));
  }
  for (const [name, { value, place }] of variables) {
    const actual = view.variable(name);
    if (isExpectedOrAbsent(value, actual)) continue;
    failures.push(
      unmet(place, `variable ${name}`, { expected: describeExpected(value), actual: describeValue(actual) }),
    );
  }
  return failures;
}
