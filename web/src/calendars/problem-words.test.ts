import { expect, test } from "vitest";
import { readIcal } from "#core/calendar/ical/read-ical.ts";
import { problemText } from "./problem-words.ts";

const DAY = "DTSTART;VALUE=DATE:20260101";
const NOON = "DTSTART:20260101T120000";
const entry = (...lines: readonly string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\n");
const file = (...parts: readonly string[]) => ["BEGIN:VCALENDAR", ...parts, "END:VCALENDAR"].join("\n");
const many = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n));

const BAD: readonly string[] = [
  "",
  "hello",
  "BEGIN:VEVENT\nEND:VEVENT",
  "BEGIN:VCALENDAR\nEND:VCALENDAR\nX:1",
  "BEGIN:VCALENDAR",
  file("END:VEVENT"),
  "BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR",
  file(...many(6, () => "BEGIN:X"), ...many(6, () => "END:X")),
  many(20_001, () => "X:1").join("\n"),
  file(...many(2_001, () => entry(DAY))),
  file(...many(101, (n) => `BEGIN:VTIMEZONE\nTZID:Z${n}\nEND:VTIMEZONE`)),
  file(entry(DAY, `RDATE;VALUE=DATE:${many(5_001, () => "20260102").join(",")}`)),
  file(...many(301, () => entry(DAY, "RRULE:FREQ=YEARLY"))),
  file(...many(60, () => entry(NOON, `RRULE:FREQ=DAILY;BYHOUR=${many(24, String).join(",")}`))),
  file(...many(300, () => entry(DAY, "DTEND;VALUE=DATE:20260301", "RRULE:FREQ=MONTHLY;INTERVAL=3"))),
  file(entry(NOON, "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5")),
  ...[
    [],
    ["DTSTART:20261301T000000"],
    ["DTSTART:soon"],
    ["DTSTART:17000101T000000"],
    ["DTSTART;TZID=Nowhere/Else:20260101T000000"],
    [DAY, "DTEND:20260101T120000"],
    [NOON, "DTEND:20260101T110000"],
    [NOON, "DURATION:long"],
    [NOON, "DURATION:PT1H", "DTEND:20260101T130000"],
    [DAY, "EXRULE:FREQ=DAILY"],
    [DAY, "RECURRENCE-ID;RANGE=THISANDFUTURE:20260101"],
    [NOON, "RDATE;VALUE=PERIOD:20260101T000000/x"],
    [DAY, "RRULE:FREQ=DAILY", "RRULE:FREQ=YEARLY"],
    [DAY, "DTEND;VALUE=DATE:20290101", "RRULE:FREQ=DAILY"],
  ].map((lines) => file(entry(...lines))),
  ...[
    ...["", "FREQ=HOURLY", "FREQ=SOMETIMES", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;X=1", "FREQ=DAILY;INTERVAL=0"],
    ...["FREQ=DAILY;BYMONTH=13", "FREQ=DAILY;BYMONTHDAY=40", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;BYDAY=1MO"],
    ...["FREQ=DAILY;WKST=XX", "FREQ=DAILY;UNTIL=soon", "FREQ=DAILY;UNTIL=20260231", "FREQ=DAILY;UNTIL=17000101"],
    ...[
      "FREQ=DAILY;COUNT=2;UNTIL=20270101",
      "FREQ=DAILY;BYYEARDAY=1",
      "FREQ=DAILY;BYHOUR=1,2;BYMINUTE=1,2,3,4,5,6,7,8,9,10,11,12,13",
    ],
  ].map((rule) => file(entry(NOON, `RRULE:${rule}`))),
];

test("whatever is wrong with a file is said in German", () => {
  const said = new Set<string>();
  for (const text of BAD)
    for (const { message } of readIcal(text, "Europe/Berlin").problems) {
      expect([message, problemText({ message }, "de") === message]).toEqual([message, false]);
      said.add(problemText({ message }, "de").replaceAll(/"[^"]*"|\d+/g, "#"));
    }
  expect(said.size).toBeGreaterThan(38);
});

test("places keep what they hold, and English loses nothing but its line", () => {
  const message = 'line 7: "20260231" does not exist';
  expect(problemText({ message }, "de")).toBe('"20260231" gibt es nicht');
  expect(problemText({ message }, "en")).toBe('"20260231" does not exist');
  expect(problemText({ message: "line 7: something new" }, "de")).toBe("something new");
});
