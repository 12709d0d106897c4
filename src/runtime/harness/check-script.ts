// What scenarios of blueprints and of rules expect of a script alike.
import {
  describeExpected,
  describeValue,
  type ExpectedValue,
  isExpected,
  isExpectedOrAbsent,
} from "#core/scenario/expected-value.ts";
import { type Failure, unmet } from "#core/scenario/test-report.ts";
import type { Placed } from "#manifest/reader.ts";
import type { ExpectedLine } from "#manifest/scenario/log-lines.ts";

interface Line {
  readonly severity: string;
  readonly text: string;
}

interface ExpectedLines {
  readonly log: readonly Placed<ExpectedLine>[];
  readonly noLog: readonly Placed<ExpectedLine>[];
}

const MOST_LINES = 20;

export function checkLog(lines: readonly Line[], { log, noLog }: ExpectedLines): readonly Failure[] {
  const fits = ({ value }: Placed<ExpectedLine>) =>
    lines.find(
      ({ text, severity }) =>
        (value.severity === undefined || value.severity === severity) && isExpected(value.text, text),
    );
  const wanted = ({ value }: Placed<ExpectedLine>) =>
    [value.severity, value.text.kind === "present" ? "" : describeExpected(value.text)].filter(Boolean).join(": ") ||
    "a line";
  const shown = lines.slice(0, MOST_LINES).map(({ severity, text }) => `${severity}: ${describeValue(text)}`);
  const more = lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : [];
  const actual = [...shown, ...more].join("; ") || "nothing was logged";
  return [
    ...log
      .filter((one) => fits(one) === undefined)
      .map((one) => unmet(one.place, "log", { expected: wanted(one), actual })),
    ...noLog.flatMap((one) => {
      const line = fits(one);
      const found = `${line?.severity}: ${describeValue(line?.text)}`;
      return line === undefined ? [] : [unmet(one.place, "log", { expected: `no ${wanted(one)}`, actual: found })];
    }),
  ];
}

/** Each of these errors came; others may have come, too. */
export function checkErrors(
  what: string,
  messages: readonly string[],
  wanted: readonly Placed<ExpectedValue>[],
): readonly Failure[] {
  const actual = messages.map(describeValue).join("; ") || "no error";
  return wanted
    .filter(({ value }) => !messages.some((message) => isExpected(value, message)))
    .map(({ value, place }) => unmet(place, what, { expected: describeExpected(value), actual }));
}

export function checkStorage(
  stored: (key: string) => string | undefined,
  wanted: ReadonlyMap<string, Placed<ExpectedValue>>,
): readonly Failure[] {
  return [...wanted].flatMap(([key, { value, place }]) => {
    const actual = stored(key);
    // Storage holds texts: a number written in the scenario means its text.
    const asText: ExpectedValue =
      value.kind === "equals" && typeof value.value !== "string" ? { ...value, value: String(value.value) } : value;
    if (isExpectedOrAbsent(asText, actual)) return [];
    return [unmet(place, `storage ${key}`, { expected: describeExpected(asText), actual: describeValue(actual) })];
  });
}
