// The expectations of one step against what happened.
import {
  countInOrder,
  describeExpected,
  describeValue,
  isExpected,
  isExpectedOrAbsent,
} from "#core/scenario/expected-value.ts";
import { type Failure, unmet } from "#core/scenario/test-report.ts";
import type { Expectations } from "#manifest/scenario/expectations.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import { checkPeers, type PeerView } from "./check-peers.ts";
import { checkErrors, checkLog, checkStorage } from "./check-script.ts";
import { seconds } from "./describe-step.ts";
import type { ControlStanding } from "./scenario-controls.ts";
import { messageOf, outcomeOf, type RunningCommand, type ScenarioRecord } from "./scenario-record.ts";

export interface StepView extends PeerView {
  readonly record: ScenarioRecord;
  /** Index of the first happening of the step. */
  readonly from: number;
  readonly stored: (key: string) => string | undefined;
  readonly control: (name: string) => ControlStanding | undefined;
}

export function checkStep(view: StepView, expect: Expectations): readonly Failure[] {
  const { record } = view;
  return [
    ...checkAttributes(view, "telemetry", expect.telemetry),
    ...checkAttributes(view, "properties", expect.properties),
    ...checkAlerts(view, expect),
    ...checkCommand(record.latestCommand, expect),
    ...checkLog(record.since(view.from, "log"), expect),
    ...checkErrors(
      "Lua error",
      record.since(view.from, "fault").map(({ error }) => error.message),
      expect.luaError,
    ),
    ...checkStorage(view.stored, expect.storage),
    ...checkControls(view, expect),
    ...checkPeers(view, expect),
  ];
}

function checkAttributes(
  { record, from }: StepView,
  kind: "telemetry" | "properties",
  expected: Expectations["telemetry"],
): readonly Failure[] {
  const { blueprint } = record;
  const idOf = (name: string): string => {
    if (kind === "telemetry") return attributesOf(blueprint).get(name)?.id ?? name;
    const found = [...blueprint.properties.values()].find(({ id, aliases }) => id === name || aliases.includes(name));
    return found?.id ?? name;
  };
  const valuesOf = (name: string, first: number) =>
    record
      .since(first, kind)
      .flatMap(({ values, at }) =>
        [...values]
          .filter(([given, value]) => idOf(given) === idOf(name) && value !== null)
          .map(([, value]) => ({ value, at })),
      );
  return [...expected].flatMap(([name, { value: wanted, place }]) => {
    const values = valuesOf(name, from);
    const last = values.at(-1);
    const what = kind === "telemetry" ? `telemetry ${name}` : `property ${name}`;
    const failed = (actual: string) => [
      unmet(place, what, { expected: describeExpected(wanted), actual, at: last?.at }),
    ];
    if (wanted.kind === "absent") return last === undefined ? [] : failed(`${describeValue(last.value)}`);
    if (wanted.kind === "inOrder") {
      const all = values.map(({ value }) => value);
      const fits = (one: unknown, value: unknown) => isExpected({ kind: "oneOf", values: [one as string] }, value);
      return countInOrder(wanted.values, all, fits) === wanted.values.length ? [] : failed(describeRun(all));
    }
    if (last === undefined) {
      const earlier = valuesOf(name, 0).at(-1);
      return failed(
        earlier === undefined
          ? "never sent"
          : `not sent in this step; last sent ${describeValue(earlier.value)} at ${seconds(earlier.at)}`,
      );
    }
    return isExpected(wanted, last.value) ? [] : failed(describeValue(last.value));
  });
}

/** Successive values without repetitions. */
function describeRun(values: readonly unknown[]): string {
  const run = values.map(describeValue).filter((text, at, all) => text !== all[at - 1]);
  return run.length === 0 ? "nothing" : run.join(", then ");
}

function checkAlerts({ record, from }: StepView, expect: Expectations): readonly Failure[] {
  if (expect.alerts === undefined) return [];
  const { place, value: alerts } = expect.alerts;
  const failures: Failure[] = [];
  const active = [...record.activeAlerts].sort();
  if (alerts.active !== undefined) {
    const wanted = alerts.active.toSorted();
    const differs = { expected: wanted.join(", ") || "none", actual: active.join(", ") || "none" };
    if (wanted.join() !== active.join()) failures.push(unmet(place, "active alerts", differs));
  }
  const changes = record.since(from, "alert");
  for (const [isActive, wanted] of [
    [true, alerts.raised],
    [false, alerts.cleared],
  ] as const) {
    for (const { value: name, place } of wanted) {
      if (changes.some((change) => change.name === name && change.isActive === isActive)) continue;
      const isNow = record.activeAlerts.has(name);
      const before = isNow ? "it was active already" : "it was not active before";
      const expected = isActive ? "raised in this step" : "cleared in this step";
      const actual = isActive ? (isNow ? before : "not raised") : isNow ? "still active" : before;
      failures.push(unmet(place, `alert ${name}`, { expected, actual }));
    }
  }
  return failures;
}

function checkCommand(running: RunningCommand | undefined, expect: Expectations): readonly Failure[] {
  const { response, error, refused, progress, noResponse } = expect;
  const wanted = response ?? error ?? refused ?? noResponse ?? progress[0];
  if (wanted === undefined) return [];
  if (running === undefined) {
    return [{ kind: "expectation", message: "no command has been run before this step", place: wanted.place }];
  }
  const outcome = outcomeOf(running);
  const what = `command ${running.command.id}`;
  const { refusal } = running;
  const ended = outcome === undefined ? "it has not ended" : `${outcome.state} ${describeValue(outcome.payload)}`;
  const actual = refusal === undefined ? ended : `it was refused: ${refusal}`;
  const failures: Failure[] = [...checkProgress(running, progress)];
  if (noResponse !== undefined && outcome !== undefined)
    failures.push(unmet(noResponse.place, what, { expected: "no end yet", actual }));
  if (refused !== undefined && !(refusal !== undefined && isExpected(refused.value, refusal)))
    failures.push(unmet(refused.place, what, { expected: `a refusal, ${describeExpected(refused.value)}`, actual }));
  const hasFailed = refusal === undefined && outcome?.state === "ERROR";
  if (error !== undefined && !(hasFailed && isExpected(error.value, messageOf(outcome))))
    failures.push(unmet(error.place, what, { expected: `an error, ${describeExpected(error.value)}`, actual }));
  if (response === undefined) return failures;
  if (outcome?.state !== "SUCCEEDED")
    return [...failures, unmet(response.place, what, { expected: "success", actual })];
  for (const [name, { value: wanted, place }] of response.value) {
    const value = Object.hasOwn(outcome.payload, name) ? outcome.payload[name] : undefined;
    if (isExpectedOrAbsent(wanted, value)) continue;
    const expected = describeExpected(wanted);
    const field = `response of ${running.command.id}: ${name}`;
    failures.push(unmet(place, field, { expected, actual: describeValue(value), at: outcome.at }));
  }
  return failures;
}

function checkProgress(running: RunningCommand, wanted: Expectations["progress"]): readonly Failure[] {
  const given = running.responses.filter(({ state }) => state === "IN_PROGRESS").map(messageOf);
  const found = countInOrder(wanted, given, ({ value }, text) => isExpected(value, text));
  const missing = wanted[found];
  if (missing === undefined) return [];
  const actual = given.length === 0 ? "none was reported" : given.map(describeValue).join(", then ");
  const expected = describeExpected(missing.value);
  return [unmet(missing.place, `progress of ${running.command.id}`, { expected, actual })];
}

const CONTROL_FIELDS = [
  ["value", "value"],
  ["written", "written"],
  ["lowerBound", "lower_bound"],
  ["upperBound", "upper_bound"],
  ["limitedBy", "limited_by"],
] as const;

function checkControls({ control }: StepView, { controls }: Expectations): readonly Failure[] {
  return [...controls].flatMap(([name, { value: wanted, place }]) => {
    const standing = control(name);
    if (standing === undefined) return [];
    const why = standing.problem === undefined ? "" : ` (${standing.problem})`;
    const failures: Failure[] = [];
    for (const [field, title] of CONTROL_FIELDS) {
      const expected = wanted[field];
      if (expected === undefined || isExpectedOrAbsent(expected, standing[field])) continue;
      const actual = `${standing[field] === undefined ? "none" : describeValue(standing[field])}${why}`;
      failures.push(unmet(place, `control ${name}: ${title}`, { expected: describeExpected(expected), actual }));
    }
    if (wanted.follow !== undefined && wanted.follow !== standing.follow) {
      const actual = `${standing.follow}${why}`;
      failures.push(unmet(place, `control ${name}`, { expected: wanted.follow, actual }));
    }
    return failures;
  });
}
