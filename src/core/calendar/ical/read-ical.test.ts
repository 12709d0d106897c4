import { describe, expect, test } from "vitest";
import { createCalendarBook } from "#core/calendar/calendar-book.ts";
import { localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { readIcal } from "./read-ical.ts";

const event = (lines: string) => `BEGIN:VEVENT\nUID:1\n${lines}\nEND:VEVENT\n`;
const file = (...events: readonly string[]) => `BEGIN:VCALENDAR\nVERSION:2.0\n${events.join("")}END:VCALENDAR\n`;

/** On the clock of the zone. */
function spansOf(text: string, [from, to]: readonly [string, string], timezone = "America/New_York") {
  const { entries, problems } = readIcal(text, timezone);
  expect(problems).toEqual([]);
  const book = createCalendarBook([{ name: "c", kind: "ical", entries, except: [], timezone }]);
  const found = book.entries("c", { from: Date.parse(from), to: Date.parse(to), limit: 500 }) ?? [];
  const local = (at: number) => new Date(at + localOffsets(timezone)(at)).toISOString().slice(0, 16);
  return found.map((span) => [local(span.from), local(span.to), span.title]);
}

const startsOf = (rule: string, range: readonly [string, string], start = "TZID=America/New_York:19970902T090000") =>
  spansOf(file(event(`DTSTART;${start}\nDURATION:PT1M\n${rule}`)), range).map(([from]) => String(from).slice(0, 10));

const YEAR = ["1997-09-01T00:00:00Z", "1998-09-01T00:00:00Z"] as const;
const days = (text: string) =>
  text.split(" ").flatMap((part) => {
    const [month = "", list = ""] = part.split(":");
    return list.split(",").map((day) => `${month}-${day}`);
  });

// The examples of RFC 5545, section 3.8.5.3, and what it says about them.
test.each([
  ["RRULE:FREQ=DAILY;COUNT=10", "1997-09:02,03,04,05,06,07,08,09,10,11"],
  ["RRULE:FREQ=DAILY;INTERVAL=10;COUNT=5", "1997-09:02,12,22 1997-10:02,12"],
  ["RRULE:FREQ=WEEKLY;COUNT=10", "1997-09:02,09,16,23,30 1997-10:07,14,21,28 1997-11:04"],
  ["RRULE:FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH", "1997-09:02,04,09,11,16,18,23,25,30 1997-10:02"],
  ["RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", "1997-09:02,04,16,18,30 1997-10:02,14,16"],
  [
    "RRULE:FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
    "1997-09:02,15 1997-10:02,15 1997-11:02,15 1997-12:02,15 1998-01:02,15",
  ],
  ["RRULE:FREQ=MONTHLY;COUNT=6;BYMONTHDAY=-3", "1997-09:28 1997-10:29 1997-11:28 1997-12:29 1998-01:29 1998-02:26"],
  ["RRULE:FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", "1997-09:22 1997-10:20 1997-11:17 1997-12:22 1998-01:19 1998-02:16"],
  [
    "RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
    "1997-09:07,28 1997-11:02,30 1998-01:04,25 1998-03:01,29 1998-05:03,31",
  ],
  ["RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1998-02:13 1998-03:13"],
  ["RRULE:FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13;COUNT=4", "1997-09:13 1997-10:11 1997-11:08 1997-12:13"],
  ["RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09:04 1997-10:07 1997-11:06"],
  [
    "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=5",
    "1997-09:29 1997-10:30 1997-11:27 1997-12:30 1998-01:29",
  ],
  ["RRULE:FREQ=MONTHLY;BYMONTHDAY=31;COUNT=4", "1997-10:31 1997-12:31 1998-01:31 1998-03:31"],
  ["RRULE:FREQ=YEARLY;COUNT=4;BYMONTH=6,7", "1998-06:02 1998-07:02"],
  ["RRULE:FREQ=YEARLY;BYDAY=20MO", "1998-05:18"],
  ["RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "1998-05:11"],
  ["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "1998-03:05,12,19,26"],
  ["RRULE:FREQ=YEARLY;BYYEARDAY=1,100,200", "1998-01:01 1998-04:10 1998-07:19"],
  ["RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1997-11:04"],
  ["RDATE;TZID=America/New_York:19970905T090000,19970907T090000\nRRULE:FREQ=DAILY;COUNT=1", "1997-09:02,05,07"],
  [
    "RRULE:FREQ=DAILY;COUNT=4\nEXDATE;TZID=America/New_York:19970903T090000\nEXDATE;VALUE=DATE:19970905",
    "1997-09:02,04",
  ],
])("%s begins on %s", (rule, wanted) => {
  expect(startsOf(rule, YEAR)).toEqual(days(wanted));
});

describe("real files", () => {
  test("whole days, folded titles, marks before other signs, and what is no entry", () => {
    const text = [
      '\uFEFFBEGIN:VCALENDAR\r\nPRODID:x\r\nX-A;B="c:d;e":f\r\nBEGIN:VTODO\r\nDTSTART:x\r\nEND:VTODO\r\n',
      "BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261225\r\nDTEND;VALUE=DATE:20261227\r\nSUMMARY:Christ\r\n mas\\, two days\r\n",
      "BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    ].join("");
    expect(spansOf(text, ["2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"])).toEqual([
      ["2026-12-25T00:00", "2026-12-27T00:00", "Christmas, two days"],
    ]);
  });

  test("an entry of another time replaces one of a series, and a cancelled one removes it", () => {
    const series = event("DTSTART:20260105T080000\nDTEND:20260105T090000\nRRULE:FREQ=DAILY;COUNT=3\nSUMMARY:A");
    const moved = event("RECURRENCE-ID:20260106T080000\nDTSTART:20260106T120000\nDTEND:20260106T130000\nSUMMARY:B");
    const cancelled = event("RECURRENCE-ID:20260107T080000\nSTATUS:CANCELLED\nDTSTART:20260107T080000");
    expect(spansOf(file(series, moved, cancelled), ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"])).toEqual([
      ["2026-01-05T08:00", "2026-01-05T09:00", "A"],
      ["2026-01-06T12:00", "2026-01-06T13:00", "B"],
    ]);
  });

  test.each([
    ["DTSTART;TZID=Europe/Berlin:20260101T060000", "2026-01-01T00:00"],
    ["DTSTART;TZID=W. Europe Standard Time:20260101T060000", "2026-01-01T00:00"],
    ['DTSTART;TZID="/example.org/20050101_1/Europe/Berlin":20260101T060000', "2026-01-01T00:00"],
    ["DTSTART;TZID=Home:20260101T060000", "2026-01-01T00:00"],
    ["DTSTART:20260101T050000Z", "2026-01-01T00:00"],
    ["DTSTART:20260101T000000", "2026-01-01T00:00"],
  ])("%s is %s in New York", (line, local) => {
    const zone =
      "BEGIN:VTIMEZONE\nTZID:Home\nX-LIC-LOCATION:Europe/Berlin\nBEGIN:STANDARD\nEND:STANDARD\nEND:VTIMEZONE\n";
    expect(
      spansOf(file(event(`${line}\nDURATION:PT1H`), zone), ["2025-12-01T00:00:00Z", "2026-02-01T00:00:00Z"])[0]?.[0],
    ).toBe(local);
  });

  test("nights end by the clock also when it changes, lengths pass, and a start that the clock skips is the next moment", () => {
    const nights = file(
      event(
        "DTSTART;TZID=Europe/Berlin:20260327T220000\nDTEND;TZID=Europe/Berlin:20260328T060000\nRRULE:FREQ=DAILY;COUNT=2",
      ),
      event("DTSTART;TZID=Europe/Berlin:20260228T023000\nDURATION:PT1H\nRRULE:FREQ=MONTHLY;BYMONTHDAY=29;COUNT=1"),
    );
    expect(spansOf(nights, ["2026-03-27T00:00:00Z", "2026-04-01T00:00:00Z"], "Europe/Berlin")).toEqual([
      ["2026-03-27T22:00", "2026-03-28T06:00", undefined],
      ["2026-03-28T22:00", "2026-03-29T06:00", undefined],
    ]);
    const short = file(event("DTSTART;TZID=Europe/Berlin:20260329T023000\nDURATION:PT1H"));
    expect(spansOf(short, ["2026-03-27T00:00:00Z", "2026-04-01T00:00:00Z"], "Europe/Berlin")).toEqual([
      ["2026-03-29T03:00", "2026-03-29T04:00", undefined],
    ]);
  });
});

test("all problems are reported at once, each with its line", () => {
  const text = file(
    event("DTSTART;TZID=Mars/Base:20260101T000000"),
    event("SUMMARY:no start"),
    event("DTSTART:20260230\nDTEND:20260301"),
    event("DTSTART:20260102T000000\nDTEND:20260101T000000"),
    event("DTSTART:20260101\nRRULE:FREQ=SECONDLY\nDURATION:P1D"),
    event("DTSTART:20260101\nRRULE:FREQ=DAILY;BYDAY=XX;COUNT=0;FOO=1;BYMONTH=13"),
    "no line\n",
  );
  expect(readIcal(text, "UTC").problems).toEqual([
    { line: 5, message: 'the time zone "Mars/Base" is unknown; names such as Europe/Berlin are known' },
    { line: 7, message: "the entry has no DTSTART" },
    { line: 13, message: '"20260230" does not exist' },
    { line: 19, message: "the entry ends before it begins" },
    {
      line: 24,
      message: "FREQ=SECONDLY is not supported: entries begin at most 24 times a day, by FREQ=DAILY and BYHOUR",
    },
    ...[
      'RRULE has no part "FOO"',
      "COUNT must be a whole number from 1 to 1000000000",
      "BYMONTH must be numbers from 1 to 12",
      "BYDAY must be weekdays such as MO,TU or, of a month or year, 1MO or -1FR",
    ].map((message) => ({ line: 30, message })),
    { line: 32, message: "this is no line of iCalendar: NAME:value" },
  ]);
});

describe("hostile texts", () => {
  const many = (count: number, of: (n: number) => string) =>
    file(Array.from({ length: count }, (_, n) => of(n)).join(""));
  test.each([
    ["nothing", "", "begins with BEGIN:VCALENDAR"],
    ["no calendar", "hello", "this is no line"],
    ["a deep nesting", "BEGIN:VCALENDAR\n".repeat(50_000), "nested more than 5 deep"],
    ["no end", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n", "has no END"],
    ["too many lines", file("A:\n".repeat(30_000)), "at most 20000 lines"],
    ["too many entries", many(2_100, () => "BEGIN:VEVENT\nDTSTART:20260101\nEND:VEVENT\n"), "at most 2000 entries"],
    ["too many rules", many(310, () => event("DTSTART:20260101\nRRULE:FREQ=YEARLY")), "at most 300 entries that recur"],
    ["too many zones", many(200, (n) => `BEGIN:VTIMEZONE\nTZID:${n}\nEND:VTIMEZONE\n`), "at most 100 VTIMEZONE"],
    [
      "times in too many zones",
      file(
        ...Intl.supportedValuesOf("timeZone")
          .slice(0, 30)
          .map((zone) => event(`DTSTART;TZID=${zone}:20260101T000000`)),
      ),
      "in at most 20 time zones",
    ],
    [
      "too many dates",
      file(event(`DTSTART:20260101\nEXDATE:${"20260101,".repeat(6_000)}20260101`)),
      "at most 5000 dates",
    ],
    [
      "many entries with the same UID as many others that stand in for them",
      file(
        ...Array.from({ length: 200 }, () => event("DTSTART:20260101T000000")),
        ...Array.from({ length: 200 }, () => event("RECURRENCE-ID:20260101T000000\nDTSTART:20260101T000000")),
      ),
      "at most 5000 dates",
    ],
    [
      "too many times of a day",
      many(30, () =>
        event(
          `DTSTART:20260101T000000\nDURATION:PT1M\nRRULE:FREQ=DAILY;BYHOUR=${Array.from({ length: 24 }, (_, n) => n)}`,
        ),
      ),
      "at most 500 times on one day",
    ],
    [
      "each second of a day",
      file(
        event(
          `DTSTART:20260101T000000\nRRULE:FREQ=DAILY;BYHOUR=1,2;BYMINUTE=${Array.from({ length: 60 }, (_, n) => n)}`,
        ),
      ),
      "more than 24 times a day",
    ],
    [
      "a count without end",
      file(
        event("DTSTART:19000101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=9"),
        event("DTSTART:19000101\nRRULE:FREQ=YEARLY;BYDAY=MO;BYMONTHDAY=1;BYYEARDAY=40;COUNT=9"),
        event("DTSTART:19000101\nRRULE:FREQ=DAILY;COUNT=1000000000"),
      ),
      "COUNT takes too long",
    ],
    [
      "long entries each day",
      file(event("DTSTART:20260101\nDURATION:P400D\nRRULE:FREQ=DAILY")),
      "lasts at most 31 days",
    ],
    [
      "all of the work of a year",
      many(40, () => event("DTSTART:20260101\nRRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=3")),
      "take too long to work out",
    ],
    ["a year without end", file(event("DTSTART:99990101")), "not between 1900 and 2200"],
    [
      "a range of a series",
      file(event("DTSTART:20260101\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260101")),
      "RANGE is not supported",
    ],
  ])("%s is refused", (_, text, words) => {
    const { entries, problems } = readIcal(text, "Europe/Berlin");
    expect(entries).toEqual([]);
    expect(problems.length).toBeLessThanOrEqual(100);
    expect(problems.map(({ message }) => message).join("\n")).toContain(words);
  });

  test("what never begins, ends at once or lies far away is never on", () => {
    const text = file(
      event("DTSTART:20260101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"),
      event("DTSTART:20260101T000000\nRRULE:FREQ=DAILY"),
      event(
        "DTSTART:20260101T000000\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=99991231T000000Z\nEXDATE:20260101T000000",
      ).replace("UNTIL=9999", "UNTIL=2025"),
    );
    expect(spansOf(text, ["2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z"])).toEqual([]);
  });
});

/** An own reading of the rule: each day is asked alone. */
test.each([
  [
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR",
    (day: Date, start: number) => {
      const monday = (at: number) => at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS;
      return [1, 5].includes(day.getUTCDay()) && ((monday(day.getTime()) - monday(start)) / (7 * DAY_MS)) % 3 === 0;
    },
  ],
  ["FREQ=DAILY;INTERVAL=9", (day: Date, start: number) => ((day.getTime() - start) / DAY_MS) % 9 === 0],
  ["FREQ=DAILY;BYDAY=SU;BYMONTH=3,10", (day: Date) => day.getUTCDay() === 0 && [2, 9].includes(day.getUTCMonth())],
  [
    "FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=-1",
    (day: Date, start: number) => {
      const isLast = new Date(day.getTime() + DAY_MS).getUTCDate() === 1;
      const months = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth();
      return isLast && (months(day) - months(new Date(start))) % 5 === 0;
    },
  ],
  [
    "FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=28,29",
    (day: Date) => day.getUTCMonth() === 1 && day.getUTCDate() >= 28 && day.getUTCFullYear() % 2 === 0,
  ],
])("%s begins on each day that a plain reading gives, and on no other", (rule, isStart) => {
  const start = Date.UTC(2024, 0, 3);
  const text = file(event(`DTSTART;VALUE=DATE:20240103\nRRULE:${rule}`));
  const { entries } = readIcal(text, "UTC");
  const book = createCalendarBook([{ name: "c", kind: "ical", entries, except: [], timezone: "UTC" }]);
  for (let day = start - 40 * DAY_MS; day < start + 1_500 * DAY_MS; day += DAY_MS)
    expect([day, book.stateAt("c", day + 1)?.isOn]).toEqual([day, day >= start && isStart(new Date(day), start)]);
});
