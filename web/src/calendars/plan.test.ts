import { expect, test } from "vitest";
import { planProblems as problemsOfStored } from "#core/calendar/site-calendar.ts";
import { WEEKDAYS } from "#core/time/weekday.ts";
import { copied, dragged, type Hold, holdAt, nudged, retimed, withOneMore } from "./edit-plan.ts";
import {
  type Block,
  dayOf,
  draftOfPlan,
  type PlanDraft,
  piecesOf,
  planProblems,
  renderPlan,
  timesOf,
  withKind,
} from "./plan.ts";

/** `Mo 06:00-08:00=21, Su 22:00-06:00`. */
function blocks(text: string): readonly Block[] {
  return text === ""
    ? []
    : text.split(", ").map((one, id) => {
        const [, day = "", from = "", to = "", value = ""] = /^(\w\w) ([\d:]+)-([\d:]+)(?:=(.*))?$/.exec(one) ?? [];
        const index = WEEKDAYS.findIndex((name) => name.startsWith(day.toLowerCase()));
        const at = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
        const length = at(to) > at(from) ? at(to) - at(from) : at(to) + 1440 - at(from);
        return { id, start: index * 1440 + at(from), length, value };
      });
}

function text(list: readonly Block[]): string {
  return [...list]
    .sort((a, b) => a.start - b.start)
    .map((block) => {
      const name = (WEEKDAYS[dayOf(block)] ?? "").slice(0, 2);
      const { from, to } = timesOf(block);
      return `${name.charAt(0).toUpperCase()}${name.charAt(1)} ${from}-${to}${block.value === "" ? "" : `=${block.value}`}`;
    })
    .join(", ");
}

const minute = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
const point = (day: number, clock: string) => ({ day, minute: minute(clock) });
const drag = (before: string, hold: Hold, day: number, clock: string) =>
  text(dragged(blocks(before), hold, { point: point(day, clock), step: 15, value: "" }));

test("a plan is read as blocks and stored as it was, with nights, whole days, midnights and values", () => {
  const plan = {
    mon: [
      { from: "06:00", to: "08:00", value: 21.5 },
      { from: "22:00", to: "06:00", value: 18 },
    ],
    tue: [{ from: "16:00", to: "24:00" }],
    sat: [{ from: "00:00", to: "24:00", value: 20 }],
    sun: [{ from: "23:00", to: "00:30", value: 19 }],
  };
  const draft = draftOfPlan(plan);
  expect(draft.kind).toBe("number");
  expect(planProblems(draft)).toEqual(new Map());
  expect(renderPlan(draft)).toEqual({ ...{ wed: [], thu: [], fri: [] }, ...plan });
});

test.each<[string, PlanDraft["kind"], readonly string[]]>([
  ["Mo 06:00-08:00, Mo 08:00-10:00", "none", []],
  ["Mo 06:00-08:00, Mo 07:00-10:00", "none", ["overlaps", "overlaps"]],
  ["Mo 22:00-06:00, Tu 05:00-07:00", "none", ["overlaps", "overlaps"]],
  // Sunday's night reaches into Monday.
  ["Mo 05:00-07:00, Su 22:00-06:00", "none", ["overlaps", "overlaps"]],
  ["Mo 06:00-08:00=warm", "number", ["noNumber"]],
  ["Mo 06:00-08:00=21,5", "number", []],
])("the problems of %s as %s are %j", (given, kind, expected) => {
  expect([...planProblems({ kind, blocks: blocks(given) }).values()]).toEqual(expected);
});

test.each([
  ["Mo 06:00-08:00", 0, "07:00", { kind: "move", id: 0, by: 60 }],
  ["Mo 06:00-08:00", 0, "05:50", { kind: "start", id: 0 }],
  ["Mo 06:00-08:00", 0, "08:10", { kind: "end", id: 0 }],
  ["Mo 06:00-08:00", 0, "09:00", { kind: "draw", day: 0, anchor: 540 }],
  // What began on the day before has no begin here.
  ["Su 22:00-06:00", 0, "00:05", { kind: "move", id: 0, by: 125 }],
  ["Su 22:00-06:00", 0, "05:55", { kind: "end", id: 0 }],
])("at %s on day %i, %s takes hold of %j", (given, day, clock, expected) => {
  expect(holdAt(blocks(given), point(day, clock), 20)).toEqual(expected);
});

test.each<[string, Hold, number, string, string]>([
  ["", { kind: "draw", day: 1, anchor: 367 }, 1, "08:05", "Tu 06:00-08:15"],
  ["", { kind: "draw", day: 1, anchor: 480 }, 1, "06:00", "Tu 06:00-08:00"],
  // A neighbour stops what is drawn, and the day does.
  ["Tu 09:00-10:00", { kind: "draw", day: 1, anchor: 480 }, 1, "12:00", "Tu 08:00-09:00, Tu 09:00-10:00"],
  ["", { kind: "draw", day: 6, anchor: 1380 }, 6, "24:00", "Su 23:00-24:00"],
  ["Mo 06:00-08:00", { kind: "start", id: 0 }, 0, "05:00", "Mo 05:00-08:00"],
  ["Mo 06:00-08:00", { kind: "start", id: 0 }, 0, "12:00", "Mo 07:45-08:00"],
  ["Mo 06:00-08:00", { kind: "end", id: 0 }, 0, "10:07", "Mo 06:00-10:00"],
  ["Mo 06:00-08:00, Mo 09:00-10:00", { kind: "end", id: 0 }, 0, "11:00", "Mo 06:00-09:00, Mo 09:00-10:00"],
  ["Mo 06:00-08:00, Mo 09:00-10:00", { kind: "start", id: 1 }, 0, "01:00", "Mo 06:00-08:00, Mo 08:00-10:00"],
  // The end of a night is on the next day, also from Sunday to Monday.
  ["Su 22:00-06:00", { kind: "end", id: 0 }, 0, "07:00", "Su 22:00-07:00"],
  ["Mo 06:00-08:00", { kind: "move", id: 0, by: 60 }, 0, "12:00", "Mo 11:00-13:00"],
  ["Mo 06:00-08:00", { kind: "move", id: 0, by: 60 }, 3, "12:00", "Th 11:00-13:00"],
  ["Mo 06:00-08:00, Mo 09:00-10:00", { kind: "move", id: 0, by: 60 }, 0, "08:30", "Mo 07:00-09:00, Mo 09:00-10:00"],
  ["Su 20:00-22:00", { kind: "move", id: 0, by: 60 }, 6, "24:00", "Su 23:00-01:00"],
])("from [%s], %j to day %i, %s: [%s]", (before, hold, day, clock, expected) => {
  expect(drag(before, hold, day, clock)).toBe(expected);
});

test("whatever is drawn, moved, stretched and nudged, the plan can be stored", () => {
  let seed = 7;
  const below = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * most);
  };
  let [list, changes] = [[] as readonly Block[], 0];
  for (let n = 0; n < 4_000; n += 1) {
    const step = below(2) === 0 ? 15 : 30;
    const somewhere = () => ({ day: below(7), minute: below(1_441) });
    const before = list;
    if (below(4) === 0 && list.length > 0) {
      const part = (["both", "end", "day"] as const)[below(3)] ?? "both";
      list = nudged(list, list[below(list.length)]?.id ?? 0, {
        part,
        by: (below(2) * 2 - 1) * (part === "day" ? 1 : step),
      });
    } else list = dragged(list, holdAt(list, somewhere(), 20), { point: somewhere(), step, value: "" });
    if (list !== before) changes += 1;
    if (list.length > 30) list = list.slice(15);
    const plan = renderPlan({ kind: "none", blocks: list });
    const stored = Object.fromEntries(
      WEEKDAYS.map((day) => [
        day,
        (plan[day] ?? []).map(({ from, to }) => ({ from: minute(from), to: minute(to), value: undefined })),
      ]),
    ) as unknown as Parameters<typeof problemsOfStored>[0];
    expect([n, text(list), problemsOfStored(stored), planProblems({ kind: "none", blocks: list }).size]).toEqual([
      n,
      text(list),
      [],
      0,
    ]);
  }
  expect(changes).toBeGreaterThan(1_000);
});

test("a day is copied to others in place of what was there; what is typed keeps its value", () => {
  const before = blocks("Mo 06:00-08:00=21, Tu 01:00-02:00=9, Su 05:00-06:00=7");
  expect(text(copied(before, 0, [1, 2]))).toBe(
    "Mo 06:00-08:00=21, Tu 06:00-08:00=21, We 06:00-08:00=21, Su 05:00-06:00=7",
  );
  const [first] = before;
  expect(first && text([retimed(first, "22:00", "06:00") ?? first])).toBe("Mo 22:00-06:00=21");
  expect(first && text([retimed(first, "07:00", "00:00") ?? first])).toBe("Mo 07:00-24:00=21");
  expect(first && text([retimed(first, "00:00", "00:00") ?? first])).toBe("Mo 00:00-24:00=21");
  expect(first && [retimed(first, "07:00", "07:00"), retimed(first, "", "07:00")]).toEqual([undefined, undefined]);
});

test.each([
  ["", "Tu 08:00-10:00"],
  ["Tu 06:00-08:00", "Tu 06:00-08:00, Tu 08:00-10:00"],
  ["Tu 06:00-23:30", "Tu 00:00-02:00, Tu 06:00-23:30"],
  ["Mo 22:00-23:00, Tu 00:00-23:30", "Mo 22:00-23:00, Tu 00:00-23:30, Tu 23:30-24:00"],
  ["Tu 00:00-24:00", undefined],
])("one more on Tuesday beside [%s]: [%s]", (given, expected) => {
  const next = withOneMore(blocks(given), 1, "");
  expect(next && text(next)).toBe(expected);
});

test("a night is drawn on both days, and values that do not fit another kind are left out", () => {
  const night = blocks("Su 22:00-06:00=18");
  expect(
    [6, 0].map((day) => piecesOf(night, day).map(({ from, to, isRest, goesOn }) => [from, to, isRest, goesOn])),
  ).toEqual([[[1_320, 1_440, false, true]], [[0, 360, true, false]]]);
  expect(
    withKind({ kind: "text", blocks: blocks("Mo 01:00-02:00=18, Mo 03:00-04:00=low") }, "number").blocks.map(
      ({ value }) => value,
    ),
  ).toEqual(["18", ""]);
});
