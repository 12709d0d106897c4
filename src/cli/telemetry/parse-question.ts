import { granularityFor, parseTime } from "#cli/parse-time.ts";
import { UsageError } from "#cli/usage-error.ts";
import { type AskedSeries, parseSeries } from "./parse-series.ts";
import { checkTogether, parseOwnSettings, readSettings, type SeriesSettings } from "./series-settings.ts";

export type QuestionFlags = {
  readonly from: string;
  readonly to: string;
  readonly granularity?: string;
  readonly aggregation: string;
  readonly timezone?: string;
  readonly fill?: string;
};

export type ParsedQuestion = {
  /** Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly settings: SeriesSettings & { readonly granularity: string };
  readonly series: readonly (AskedSeries & { readonly own: SeriesSettings })[];
};

type Limits = {
  readonly now: number;
  /** About how many buckets there is room for, where no granularity is given. */
  readonly buckets: number;
};

/** Throws a UsageError that lists all mistakes of the words and the flags. */
export function parseQuestion(
  words: readonly string[],
  flags: QuestionFlags,
  { now, buckets }: Limits,
): ParsedQuestion {
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem);
  const [from = 0, to = 1] = attemptEach(
    [() => parseTime("--from", flags.from, now), () => parseTime("--to", flags.to, now)],
    report,
  );
  if (problems.length === 0 && from >= to) report("--from must be before --to");
  const { aggregation, granularity, timezone, fill } = flags;
  const given = { aggregation, granularity, timezone, fill };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const read = readSettings(known, "--", report);
  const settings = { ...read, granularity: read.granularity ?? granularityFor(Math.max(1, to - from), buckets) };
  const series = words.flatMap((word) => parseWord(word, settings, report));
  const [first = "", ...others] = [...new Set(problems)];
  if (others.length > 0) throw new UsageError([`${others.length + 1} mistakes`, first, ...others].join("\n  "));
  if (first !== "") throw new UsageError(first);
  return { from, to, settings, series };
}

function parseWord(word: string, settings: SeriesSettings, report: (problem: string) => void) {
  const [, name = "", text] = /^([^@]*)(?:@(.*))?$/s.exec(word) ?? [];
  const [series = []] = attemptEach([() => parseSeries([name])], report);
  const reportHere = (problem: string) => report(text === undefined ? problem : `${name}: ${problem}`);
  const own = text === undefined ? {} : parseOwnSettings(text, reportHere);
  checkTogether(settings, own, reportHere);
  return series.map((one) => ({ ...one, own }));
}

/** The results; undefined in place of one whose mistake was reported. */
function attemptEach<Result>(
  tasks: readonly (() => Result)[],
  report: (problem: string) => void,
): readonly (Result | undefined)[] {
  return tasks.map((task) => {
    try {
      return task();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      report(error.message);
      return undefined;
    }
  });
}
