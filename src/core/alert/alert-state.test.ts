import { expect, test } from "vitest";
import type { Alert } from "#core/blueprint/blueprint.ts";
import { parseDuration } from "#core/time/duration.ts";
import { instant } from "#core/time/instant.ts";
import { MAX_DETAILS_LENGTH, MAX_SOURCE_DETAILS_LENGTH } from "./alert-limits.ts";
import {
  type AlertChange,
  type AlertState,
  alertStateOf,
  type FoldedAlerts,
  isDoubted,
  NO_ALERTS,
  nextHardening,
  type RaisedAlert,
  restoreAlerts,
  withDetails,
  withMoment,
  withReport,
  withSources,
  withTelemetry,
} from "./alert-state.ts";

/** `hot` lasts a minute before it is hard, `slow` an hour, `note` hardens at once. Anything else is undeclared. */
const DECLARED = new Map(
  [
    alert("hot", "warning", "1m"),
    alert("slow", "error", "1h"),
    alert("note", "info", "0s"),
    alert("constructor", "info", "0s"),
  ].map((one) => [one.id, one]),
);

function alert(id: string, severity: Alert["severity"], grace: string): Alert {
  const gracePeriod = parseDuration(grace);
  if (gracePeriod === undefined) throw new Error(grace);
  const lists = { troubleshooting: [], telemetry: [], components: [], conditions: [] };
  return { id, severity, displayName: id, code: undefined, gracePeriod, description: "", ...lists };
}

/**
 * `0 alerts=hot,note` is a report at second 0 of the source alerts; `5 alerts=` says that none is active.
 * `60 tick` is a moment without a report; `9 only=bms` is a blueprint that has no other source; `70 more` is telemetry
 * without lists, and lists are telemetry too, with a patience of a minute. `0 alerts=hot/seven` has the details "seven",
 * and `5 note=hot/eight` are details without a list. Steps end with `;`.
 */
function run(script: string): { readonly state: AlertState; readonly changes: readonly AlertChange[] } {
  let state = NO_ALERTS;
  const changes: AlertChange[] = [];
  for (const step of script.split(";").map((part) => part.trim())) {
    const [second = "", what = ""] = step.split(" ");
    const at = instant(Number(second) * 1000);
    const [source = "", ids = ""] = what.split("=");
    const items = ids
      .split(",")
      .filter(Boolean)
      .map((item) => item.split("/"));
    const alertIds = items.map(([id = ""]) => id);
    const details = new Map(items.flatMap(([id = "", text]) => (text ? [[id, JSON.stringify(text)] as const] : [])));
    const report = { source, at, alertIds, details, readLevel: "readonly", blueprintId: "b" } as const;
    const folds: readonly ((state: AlertState) => FoldedAlerts)[] =
      what === "tick"
        ? [(known) => withMoment(known, at)]
        : source === "only"
          ? [(known) => withSources(known, (name) => name === ids, at)]
          : source === "note"
            ? [(known) => withDetails(known, details, at)]
            : [
                (known) => (what === "more" ? { state: known, changes: [] } : withReport(known, report, DECLARED)),
                (known) => withTelemetry(known, at, 60_000),
              ];
    for (const fold of folds) {
      const folded = fold(state);
      state = folded.state;
      changes.push(...folded.changes);
    }
  }
  return { state, changes };
}

/** `alerts:hot@0` is soft since second 0, `alerts:hot@0!` is hard, `alerts:hot@0?5` not confirmed since second 5. */
function shown(state: AlertState): string {
  return [...state.values()].flatMap(({ active }) => [...active.values()].map(shownAlert)).join(" ");
}

const shownAlert = ({ source, alertId, raisedAt, ...alert }: RaisedAlert) =>
  `${source}:${alertId}@${raisedAt / 1000}${marks(alert)}`;

const marks = ({ isHard, notConfirmedSince, details }: Pick<RaisedAlert, "isHard" | "notConfirmedSince" | "details">) =>
  (isHard ? "!" : "") +
  (notConfirmedSince === undefined ? "" : `?${notConfirmedSince / 1000}`) +
  (details === undefined ? "" : `/${JSON.parse(details)}`);

test.each([
  ["nothing listed is nothing active", "0 alerts=", ""],
  ["listed is raised, softly within its grace period", "0 alerts=hot", "alerts:hot@0"],
  ["without a grace period it is hard at once", "0 alerts=note", "alerts:note@0!"],
  ["undeclared is hard at once", "0 alerts=strange", "alerts:strange@0!"],
  ["listed twice is one alert", "0 alerts=hot,hot", "alerts:hot@0"],
  ["listed again keeps its beginning", "0 alerts=hot; 5 alerts=hot", "alerts:hot@0"],
  ["no longer listed is cleared", "0 alerts=hot; 5 alerts=", ""],
  ["one of two is cleared", "0 alerts=hot,note; 5 alerts=note", "alerts:note@0!"],
  ["raised anew has a new beginning", "0 alerts=hot; 5 alerts=; 6 alerts=hot", "alerts:hot@6"],
  ["a source says nothing about another", "0 alerts=hot; 5 bms=", "alerts:hot@0"],
  ["sources keep their own sets", "0 alerts=hot; 5 bms=hot,note; 9 alerts=", "bms:hot@5 bms:note@5!"],
  ["an older report raises nothing", "5 alerts=; 4 alerts=hot", ""],
  ["an older report clears nothing", "5 alerts=hot; 4 alerts=", "alerts:hot@5"],
  ["an older report does not lengthen", "5 alerts=hot; 4 alerts=hot", "alerts:hot@5"],
  ["an older report is judged by its own source", "5 alerts=; 4 bms=hot", "bms:hot@4"],
  ["of the same time the later one counts", "5 alerts=hot; 5 alerts=note", "alerts:note@5!"],
  ["just before the grace period it is soft", "0 alerts=hot; 59.999 tick", "alerts:hot@0"],
  ["at the end of the grace period it is hard", "0 alerts=hot; 60 tick", "alerts:hot@0!"],
  ["a report at that moment hardens too", "0 alerts=hot; 60 alerts=hot", "alerts:hot@0!"],
  ["each has its own grace period", "0 alerts=hot,slow; 60 tick", "alerts:hot@0! alerts:slow@0"],
  ["an interruption starts the grace period anew", "0 alerts=hot; 50 alerts=; 51 alerts=hot; 60 tick", "alerts:hot@51"],
  ["a source that is gone takes its alerts along", "0 alerts=hot; 1 bms=note; 9 only=alerts", "alerts:hot@0"],
  ["other telemetry within a minute leaves no doubt", "0 alerts=note; 59.999 more", "alerts:note@0!"],
  ["after a minute of other telemetry nothing confirms it", "0 alerts=note; 30 more; 60 more", "alerts:note@0!?0"],
  ["a repeated list confirms", "0 alerts=note; 30 alerts=note; 60 more; 89 more", "alerts:note@0!"],
  ["the time is that of the last list", "0 alerts=note; 30 alerts=note; 90 more; 200 more", "alerts:note@0!?30"],
  ["without telemetry nothing is doubted", "0 alerts=note; 600 tick", "alerts:note@0!"],
  ["telemetry that comes late is no doubt", "100 alerts=note; 30 more", "alerts:note@100!"],
  ["listed again it is confirmed, with its beginning", "0 alerts=note; 60 more; 61 alerts=note", "alerts:note@0!"],
  ["a list without it ends it", "0 alerts=note; 60 more; 61 alerts=", ""],
  ["another source confirms nothing", "0 alerts=note; 30 bms=; 60 bms=", "alerts:note@0!?0"],
  ["each source is doubted on its own", "0 alerts=note; 30 bms=note; 60 more", "alerts:note@0!?0 bms:note@30!"],
  ["what is unconfirmed does not harden", "0 alerts=slow; 60 more; 4000 tick", "alerts:slow@0?0"],
  ["confirmed after its grace period it is hard", "0 alerts=slow; 60 more; 3600 alerts=slow", "alerts:slow@0!"],
  ["details are kept", "0 alerts=note/seven; 1 alerts=note", "alerts:note@0!/seven"],
  ["newer details replace them", "0 alerts=note/seven; 1 alerts=note/eight", "alerts:note@0!/eight"],
  ["details without a list are kept with what is active", "0 alerts=note; 1 note=note/one,x/two", "alerts:note@0!/one"],
  ["details confirm nothing", "0 alerts=note; 60 more; 61 note=note/one", "alerts:note@0!?0/one"],
  [
    "names of Object are names",
    "0 constructor=constructor,toString",
    "constructor:constructor@0! constructor:toString@0!",
  ],
])("%s", (_title, script, expected) => {
  expect(shown(run(script).state)).toBe(expected);
});

test.each([
  ["raised", "0 alerts=hot", "raised@0 hot"],
  ["raised hard is one change", "0 alerts=note", "raised@0 note!"],
  ["nothing new is no change", "0 alerts=hot; 1 alerts=hot; 2 alerts=hot", "raised@0 hot"],
  [
    "hardened once, at the end of the grace period",
    "0 alerts=hot; 70 tick; 80 tick; 90 alerts=hot",
    "raised@0 hot, hardened@60 hot!",
  ],
  ["cleared softly", "0 alerts=hot; 59 alerts=", "raised@0 hot, cleared@59 hot"],
  ["cleared hard", "0 alerts=hot; 60 tick; 99 alerts=", "raised@0 hot, hardened@60 hot!, cleared@99 hot!"],
  ["cleared before the tick came", "0 alerts=hot; 99 alerts=", "raised@0 hot, hardened@60 hot!, cleared@99 hot!"],
  [
    "late news of the end make it soft",
    "0 alerts=hot; 60 tick; 30 alerts=",
    "raised@0 hot, hardened@60 hot!, cleared@30 hot",
  ],
  ["cleared before raised", "0 alerts=hot; 5 alerts=note", "raised@0 hot, cleared@5 hot, raised@5 note!"],
  ["a source that is gone", "0 alerts=hot; 9 only=bms", "raised@0 hot, cleared@9 hot"],
  ["unconfirmed once", "0 alerts=note; 61 more; 70 more", "raised@0 note!, unconfirmed@61 note!?0"],
  ["confirmed", "0 alerts=note; 61 more; 65 alerts=note", "raised@0 note!, unconfirmed@61 note!?0, confirmed@65 note!"],
  [
    "cleared while unconfirmed keeps since when",
    "0 alerts=note; 61 more; 65 alerts=",
    "raised@0 note!, unconfirmed@61 note!?0, cleared@65 note!?0",
  ],
  [
    "nobody knows whether what ended unconfirmed would have been hard",
    "0 alerts=slow; 61 more; 4000 alerts=",
    "raised@0 slow, unconfirmed@61 slow?0, cleared@4000 slow?0",
  ],
  [
    "confirmed and hard at once",
    "0 alerts=slow; 61 more; 4000 alerts=slow",
    "raised@0 slow, unconfirmed@61 slow?0, confirmed@4000 slow, hardened@3600 slow!",
  ],
  [
    "new details, once each",
    "0 alerts=note/a; 1 alerts=note/a; 2 alerts=note/b; 3 note=note/b",
    "raised@0 note!/a, updated@2 note!/b",
  ],
])("changes: %s", (_title, script, expected) => {
  const changes = run(script).changes.map(
    ({ kind, at, alert: one }) => `${kind}@${at / 1000} ${one.alertId}${marks(one)}`,
  );
  expect(changes.join(", ")).toBe(expected);
});

test("the severity is the declared one, and error for what is not declared", () => {
  const { changes } = run("0 alerts=hot,note,strange,toString");
  expect(changes.map(({ alert: one }) => one.severity)).toEqual(["warning", "info", "error", "error"]);
});

test.each([
  ["", undefined],
  ["0 alerts=note", undefined],
  ["0 alerts=hot,slow", 60],
  ["0 alerts=hot,slow; 60 tick", 3600],
  ["0 alerts=hot; 5 alerts=; 7 bms=hot", 67],
  ["0 alerts=slow; 60 more", undefined],
])("after [%s] the next hardening is at %s", (script, expected) => {
  const next = nextHardening(script === "" ? NO_ALERTS : run(script).state);
  expect(next === undefined ? undefined : next / 1000).toBe(expected);
});

test("what is restored goes on as if nothing had happened", () => {
  const { state } = run("0 alerts=hot; 3 alerts=hot,slow; 4 bms=note; 5 bms=");
  const restored = restoreAlerts([...state.values()].flatMap(({ active }) => [...active.values()]));
  expect(shown(restored)).toBe(shown(state));
  const older = { source: "alerts", at: instant(2000), alertIds: [], readLevel: "readonly", blueprintId: "b" } as const;
  expect(withReport(restored, older, DECLARED).changes).toEqual([]);
});

test("a list that is read again after a restart confirms nothing", () => {
  const { state } = run("0 alerts=note; 30 alerts=note; 95 more");
  const restored = restoreAlerts([...state.values()].flatMap(({ active }) => [...active.values()]));
  const report = { source: "alerts", alertIds: ["note"], readLevel: "readonly", blueprintId: "b" } as const;
  expect(withReport(restored, { ...report, at: instant(30_000) }, DECLARED).changes).toEqual([]);
  expect(withReport(restored, { ...report, at: instant(96_000) }, DECLARED).changes).toMatchObject([
    { kind: "confirmed" },
  ]);
});

test("whether telemetry brings doubt is known without a fold", () => {
  const { state } = run("0 alerts=note; 30 bms=; 40 tick");
  const doubted = [59_999, 60_000, 90_000].map((at) => isDoubted(state, instant(at), 60_000));
  expect(doubted).toEqual([false, true, true]);
  expect(isDoubted(run("0 alerts=note; 60 more").state, instant(200_000), 60_000)).toBe(false);
});

test("a state has one word", () => {
  const words = (script: string) =>
    [...run(script).state.values()].flatMap(({ active }) => [...active.values()].map(alertStateOf));
  expect(words("0 alerts=hot,note")).toEqual(["SOFT", "HARD"]);
  expect(words("0 alerts=hot,note; 59 tick; 60 more")).toEqual(["UNCONFIRMED", "UNCONFIRMED"]);
});

test("alerts that everybody knows need no declaration, and a declaration wins", () => {
  const severities = (declared: ReadonlyMap<string, Alert>) =>
    withReport(
      NO_ALERTS,
      {
        source: "alerts",
        at: instant(0),
        alertIds: ["not_configured", "communication_failed"],
        readLevel: "readonly",
        blueprintId: "b",
      },
      declared,
    ).changes.map(({ alert: { severity } }) => severity);
  expect(severities(new Map())).toEqual(["warning", "error"]);
  expect(severities(new Map([["not_configured", alert("not_configured", "info", "0s")]]))).toEqual(["info", "error"]);
});

test("details of one source have a limit together", () => {
  const ids = Array.from({ length: 40 }, (_, index) => `a${index}`);
  const details = new Map(ids.map((id) => [id, JSON.stringify("x".repeat(MAX_DETAILS_LENGTH - 2))]));
  const report = { source: "alerts", at: instant(0), alertIds: ids, details, readLevel: "readonly" } as const;
  const { state } = withReport(NO_ALERTS, { ...report, blueprintId: "b" }, DECLARED);
  const kept = [...(state.get("alerts")?.active.values() ?? [])].filter((one) => one.details !== undefined);
  expect(kept).toHaveLength(MAX_SOURCE_DETAILS_LENGTH / MAX_DETAILS_LENGTH);
});
