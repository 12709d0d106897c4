import { expect, test } from "vitest";
import type { Alert } from "#core/blueprint/blueprint.ts";
import { parseDuration } from "#core/time/duration.ts";
import { instant } from "#core/time/instant.ts";
import {
  type AlertChange,
  type AlertState,
  NO_ALERTS,
  nextHardening,
  restoreAlerts,
  withMoment,
  withReport,
  withSources,
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
 * `60 tick` is a moment without a report; `9 only=bms` is a blueprint that has no other source. Steps end with `;`.
 */
function run(script: string): { readonly state: AlertState; readonly changes: readonly AlertChange[] } {
  let state = NO_ALERTS;
  const changes: AlertChange[] = [];
  for (const step of script.split(";").map((part) => part.trim())) {
    const [second = "", what = ""] = step.split(" ");
    const at = instant(Number(second) * 1000);
    const [source = "", ids = ""] = what.split("=");
    const report = { source, at, alertIds: ids.split(",").filter(Boolean) };
    const folded =
      what === "tick"
        ? withMoment(state, at)
        : source === "only"
          ? withSources(state, (name) => name === ids, at)
          : withReport(state, { ...report, readLevel: "readonly", blueprintId: "b" }, DECLARED);
    state = folded.state;
    changes.push(...folded.changes);
  }
  return { state, changes };
}

/** `alerts:hot@0` is soft since second 0, `alerts:hot@0!` is hard. */
function shown(state: AlertState): string {
  return [...state.values()].flatMap(({ active }) => [...active.values()].map(shownAlert)).join(" ");
}

const shownAlert = ({ source, alertId, raisedAt, isHard }: AlertChange["alert"]) =>
  `${source}:${alertId}@${raisedAt / 1000}${isHard ? "!" : ""}`;

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
])("changes: %s", (_title, script, expected) => {
  const changes = run(script).changes.map(
    ({ kind, at, alert: one }) => `${kind}@${at / 1000} ${one.alertId}${one.isHard ? "!" : ""}`,
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
