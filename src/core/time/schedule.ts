// When something recurs: `daily`, or a cron expression with five fields (minute, hour, day of the month, month, day of
// the week), by the local clock of the machine.

export interface Schedule {
  readonly text: string;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Both kinds of days are restricted: then either of them suffices, as in cron. */
  readonly isEitherDay: boolean;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["hourly", "0 * * * *"],
  ["daily", "0 3 * * *"],
  ["weekly", "0 3 * * 0"],
  ["monthly", "0 3 1 * *"],
]);
const FIELDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const YEARS_TO_SEARCH = 9;

export function parseSchedule(text: string): Schedule | undefined {
  const fields = (NAMES.get(text) ?? text).trim().split(/\s+/);
  if (fields.length !== FIELDS.length) return undefined;
  const sets = FIELDS.map(([low, high], at) => parseField(fields[at] ?? "", low, high));
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  // 7 is Sunday, too.
  const ofWeek = new Set([...weekdays].map((day) => day % 7));
  const isEitherDay = !fields[2]?.startsWith("*") && !fields[4]?.startsWith("*");
  const schedule = { text, minutes, hours, days, months, weekdays: ofWeek, isEitherDay };
  // The 31st of February never comes.
  return nextMoment(schedule, 0) === undefined ? undefined : schedule;
}

function parseField(text: string, low: number, high: number): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, from, to, step = "1"] = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (!/^(?:\*|\d)/.test(part) || Number(step) < 1) return undefined;
    if (from === undefined && !part.startsWith("*")) return undefined;
    const first = from === undefined ? low : Number(from);
    const isOpen = from === undefined || (to === undefined && part.includes("/"));
    const last = isOpen ? high : Number(to ?? from);
    if (first < low || last > high || first > last) return undefined;
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}

/** The first moment after this one, in Unix milliseconds; undefined when there is none in years. */
export function nextMoment(schedule: Schedule, after: number): number | undefined {
  const date = new Date(after);
  date.setSeconds(0, 0);
  date.setMinutes(date.getMinutes() + 1);
  const end = date.getFullYear() + YEARS_TO_SEARCH;
  while (date.getFullYear() < end) {
    const at = date.getTime();
    const [year, month] = [date.getFullYear(), date.getMonth()];
    if (!schedule.months.has(month + 1)) date.setTime(new Date(year, month + 1, 1).getTime());
    else if (!isDay(schedule, date)) date.setTime(new Date(year, month, date.getDate() + 1).getTime());
    else if (!schedule.hours.has(date.getHours())) date.setTime(at + (60 - date.getMinutes()) * 60_000);
    else if (!schedule.minutes.has(date.getMinutes())) date.setTime(at + 60_000);
    else return at;
  }
  return undefined;
}

function isDay({ days, weekdays, isEitherDay }: Schedule, date: Date): boolean {
  const [byMonth, byWeek] = [days.has(date.getDate()), weekdays.has(date.getDay())];
  return isEitherDay ? byMonth || byWeek : byMonth && byWeek;
}
