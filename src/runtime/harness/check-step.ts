// The expectations of one step against what happened.
import type { Position } from "#core/blueprint/issue.ts";
import {
  countInOrder,
  describeExpected,
  describeValue,
  type ExpectedValue,
  isExpected,
} from "#core/scenario/expected-value.ts";
import type { Placed } from "#manifest/reader.ts";
import type { Expectations, ExpectedLine } from "#manifest/scenario/expectations.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import { checkPeers, type PeerView } from "./check-peers.ts";
import { messageOf, outcomeOf, type RunningCommand, type ScenarioRecord } from "./scenario-record.ts";
import type { Failure } from "./test-report.ts";

export interface StepView extends PeerView {
  readonly record: ScenarioRecord;
  /** Index of the first happening of the step. */
  readonly from: number;
  readonly stored: (key: string) => string | undefined;
}

export function checkStep(view: StepView, expect: Expectations): readonly Failure[] {
  const { record } = view;
  return [
    ...checkAttributes(view, "telemetry", expect.telemetry),
    ...checkAttributes(view, "properties", expect.properties),
    ...checkAlerts(view, expect),
    ...checkCommand(record.commands.at(-1), expect),
    ...checkLog(view, expect),
    ...checkFaults(view, expect),
    ...checkStorage(view, expect),
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
    const failed = (actual: string) => [mismatch({ what, place, wanted, actual, at: last?.at })];
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
    if (wanted.join() !== active.join()) {
      failures.push({
        kind: "expectation",
        message: "active alerts",
        expected: wanted.join(", ") || "none",
        actual: active.join(", ") || "none",
        place,
      });
    }
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
      failures.push({
        kind: "expectation",
        message: `alert ${name}`,
        expected: isActive ? "raised in this step" : "cleared in this step",
        actual: isActive ? (isNow ? before : "not raised") : isNow ? "still active" : before,
        place,
      });
    }
  }
  return failures;
}

function checkCommand(running: RunningCommand | undefined, expect: Expectations): readonly Failure[] {
  const { response, error, progress, noResponse } = expect;
  const wanted = response ?? error ?? noResponse ?? progress[0];
  if (wanted === undefined) return [];
  if (running === undefined) {
    return [{ kind: "expectation", message: "no command has been run before this step", place: wanted.place }];
  }
  const outcome = outcomeOf(running);
  const what = running.command.id;
  const ended = outcome === undefined ? "it has not ended" : `${outcome.state} ${describeValue(outcome.payload)}`;
  const failures: Failure[] = [...checkProgress(running, progress)];
  if (noResponse !== undefined && outcome !== undefined) {
    failures.push({
      kind: "expectation",
      message: `command ${what}`,
      expected: "no end yet",
      actual: ended,
      place: noResponse.place,
    });
  }
  if (error !== undefined && !(outcome?.state === "ERROR" && isExpected(error.value, messageOf(outcome)))) {
    const expected = `an error, ${describeExpected(error.value)}`;
    failures.push({ kind: "expectation", message: `command ${what}`, expected, actual: ended, place: error.place });
  }
  if (response !== undefined) {
    if (outcome?.state !== "SUCCEEDED") {
      failures.push({
        kind: "expectation",
        message: `command ${what}`,
        expected: "success",
        actual: ended,
        place: response.place,
      });
    } else {
      for (const [name, field] of response.value) {
        const value = Object.hasOwn(outcome.payload, name) ? outcome.payload[name] : undefined;
        if (isExpectedField(field.value, value)) continue;
        failures.push(
          mismatch({
            what: `response of ${what}: ${name}`,
            place: field.place,
            wanted: field.value,
            actual: describeValue(value),
            at: outcome.at,
          }),
        );
      }
    }
  }
  return failures;
}

function isExpectedField(expected: ExpectedValue, value: unknown): boolean {
  const isThere = value !== undefined && value !== null;
  return expected.kind === "absent" ? !isThere : isThere && isExpected(expected, value);
}

function checkProgress(running: RunningCommand, wanted: Expectations["progress"]): readonly Failure[] {
  const given = running.responses.filter(({ state }) => state === "IN_PROGRESS").map(messageOf);
  const found = countInOrder(wanted, given, ({ value }, text) => isExpected(value, text));
  const missing = wanted[found];
  if (missing === undefined) return [];
  return [
    mismatch({
      what: `progress of ${running.command.id}`,
      place: missing.place,
      wanted: missing.value,
      actual: given.length === 0 ? "none was reported" : given.map(describeValue).join(", then "),
      at: undefined,
    }),
  ];
}

function checkLog({ record, from }: StepView, { log, noLog }: Expectations): readonly Failure[] {
  const lines = record.since(from, "log");
  const fits = ({ value }: Placed<ExpectedLine>) =>
    lines.find(
      ({ text, severity }) =>
        (value.severity === undefined || value.severity === severity) && isExpected(value.text, text),
    );
  const describe = ({ value }: Placed<ExpectedLine>) =>
    [value.severity, value.text.kind === "present" ? "" : describeExpected(value.text)].filter(Boolean).join(": ") ||
    "a line";
  const missing = log.filter((one) => fits(one) === undefined);
  const unwanted = noLog.filter((one) => fits(one) !== undefined);
  const all =
    lines.map(({ severity, text }) => `${severity}: ${describeValue(text)}`).join("; ") || "nothing was logged";
  return [
    ...missing.map(
      (one): Failure => ({
        kind: "expectation",
        message: "log",
        expected: describe(one),
        actual: all,
        place: one.place,
      }),
    ),
    ...unwanted.map((one): Failure => {
      const line = fits(one);
      const actual = `${line?.severity}: ${describeValue(line?.text)}`;
      return { kind: "expectation", message: "log", expected: `no ${describe(one)}`, actual, place: one.place };
    }),
  ];
}

function checkFaults({ record, from }: StepView, { luaError }: Expectations): readonly Failure[] {
  const faults = record.since(from, "fault");
  return luaError
    .filter(({ value }) => !faults.some(({ error }) => isExpected(value, error.message)))
    .map(({ value, place }) =>
      mismatch({
        what: "Lua error",
        place,
        wanted: value,
        actual: faults.map(({ error }) => describeValue(error.message)).join("; ") || "no error",
        at: undefined,
      }),
    );
}

function checkStorage({ stored }: StepView, expect: Expectations): readonly Failure[] {
  return [...expect.storage].flatMap(([key, { value: wanted, place }]) => {
    const value = stored(key);
    // Storage holds texts: a number written in the scenario means its text.
    const asText: ExpectedValue =
      wanted.kind === "equals" && typeof wanted.value !== "string"
        ? { ...wanted, value: String(wanted.value) }
        : wanted;
    if (isExpectedField(asText, value)) return [];
    return [mismatch({ what: `storage ${key}`, place, wanted: asText, actual: describeValue(value), at: undefined })];
  });
}

interface Mismatch {
  readonly what: string;
  readonly place: Position;
  readonly wanted: ExpectedValue;
  readonly actual: string;
  readonly at: number | undefined;
}

function mismatch({ what, place, wanted, actual, at }: Mismatch): Failure {
  return {
    kind: "expectation",
    message: what,
    expected: describeExpected(wanted),
    actual,
    place,
    ...(at === undefined ? {} : { at }),
  };
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))} s`;
}
