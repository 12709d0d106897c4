// What is passed on of reports: a script writes what it likes into its logs and arguments, thousands of times, and whoever gets the reports
// has to hold all of it.
import type { Failure, ScenarioReport } from "#core/scenario/test-report.ts";

const LONGEST_TEXT = 1_000;
const MOST_FAILURES = 100;
const MOST_ENTRIES = 2_000;
/** Characters of all timelines together. Without room a scenario has its failures, and the last entries. */
const MOST_CHARACTERS = 4_000_000;
const LEAST_ENTRIES = 20;

/** Each with what is left for it after those before. */
export function createReportBounds(): (report: ScenarioReport) => ScenarioReport {
  let left = MOST_CHARACTERS;
  return ({ name, failures, timeline, ...report }) => {
    const entries = timeline.slice(-MOST_ENTRIES).map((entry) => ({ ...entry, text: short(entry.text) }));
    const size = entries.reduce((sum, { text }) => sum + text.length, 0);
    const fits = size <= left;
    if (fits) left -= size;
    return {
      ...report,
      name: short(name),
      failures: failures.slice(0, MOST_FAILURES).map(bounded),
      timeline: fits ? entries : entries.slice(-LEAST_ENTRIES),
    };
  };
}

const short = (text: string): string => text.slice(0, LONGEST_TEXT);

function bounded({ message, expected, actual, traceback, ...failure }: Failure): Failure {
  return {
    ...failure,
    message: short(message),
    ...(expected !== undefined && { expected: short(expected) }),
    ...(actual !== undefined && { actual: short(actual) }),
    ...(traceback !== undefined && { traceback: short(traceback) }),
  };
}
