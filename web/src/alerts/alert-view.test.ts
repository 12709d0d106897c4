import { expect, test } from "vitest";
import type { Alert } from "#client/resources.ts";
import { renderQuery } from "#web/router/paths.ts";
import { parseQuery } from "#web/router/query.ts";
import { alertQuery, byUrgency, findAlert, graceLeft, lengthOf, readFilter, selectActive } from "./alert-view.ts";
import { drawLine, rangeAround } from "./related-chart.ts";

const at = (minute: number) => `2026-11-16T03:${String(minute).padStart(2, "0")}:00Z`;
const alert = (id: string, change: Partial<Alert> = {}): Alert => ({
  id,
  device_id: "d1",
  site_id: "s1",
  severity: "error",
  state: "HARD",
  display_name: id,
  raised_at: at(0),
  source: "alerts",
  declared: true,
  ...change,
});

test("the most urgent alerts come first", () => {
  const alerts = [
    alert("info", { severity: "info" }),
    alert("doubted", { state: "UNCONFIRMED" }),
    alert("old"),
    alert("new", { raised_at: at(5) }),
    alert("warning", { severity: "warning" }),
    alert("soft", { state: "SOFT" }),
  ];
  expect(alerts.sort(byUrgency).map(({ id }) => id)).toEqual(["new", "old", "soft", "doubted", "warning", "info"]);
});

test.each([
  [alert("a", { state: "SOFT", hardens_at: at(2) }), 60_000],
  [alert("a", { state: "SOFT", hardens_at: at(0) }), 0],
  [alert("a", { state: "SOFT", hardens_at: at(2), cleared_at: at(1) }), undefined],
  [alert("a"), undefined],
])("of the grace period of %j, %s ms are left", (given, expected) => {
  expect(graceLeft(given, Date.parse(at(1)))).toBe(expected);
});

test("an alert lasts until it is cleared, or until now", () => {
  expect([
    lengthOf(alert("a"), Date.parse(at(3))),
    lengthOf(alert("a", { cleared_at: at(1) }), Date.parse(at(3))),
  ]).toEqual([180_000, 60_000]);
});

test.each([
  ["", "a b c"],
  ["?severity.in=warning", "b"],
  ["?state.in=SOFT,nonsense", "c"],
  [`?raised_at.gte=${at(1)}`, "c"],
  ["?order=RAISED_AT_ASC", "a b c"],
])("the address %s shows %s", (search, expected) => {
  const alerts = [
    alert("a"),
    alert("b", { severity: "warning" }),
    alert("c", { severity: "info", state: "SOFT", raised_at: at(2) }),
  ];
  expect(
    selectActive(alerts, readFilter(parseQuery(search)))
      .map(({ id }) => id)
      .join(" "),
  ).toBe(expected);
});

test("an address names one alert, whatever its id", () => {
  const strange = alert('<img src=x onerror="alert(1)">&a=b', { source: "other" });
  const alerts = [alert(strange.id), strange];
  expect(findAlert(alerts, parseQuery(renderQuery(alertQuery(strange))))).toBe(strange);
  expect(findAlert(alerts, parseQuery(renderQuery({ alert: strange.id })))).toBe(alerts[0]);
  expect(findAlert(alerts, parseQuery(""))).toBeUndefined();
});

test("a chart goes half an hour to both sides of the start, but not into the future", () => {
  const grid = rangeAround(alert("a", { raised_at: at(30) }), Date.parse(at(35)));
  expect([new Date(grid.from).toISOString(), new Date(grid.to).toISOString()]).toEqual([
    "2026-11-16T03:00:00.000Z",
    "2026-11-16T03:35:00.000Z",
  ]);
});

test("a line has gaps where nothing was measured, and is flat where nothing changes", () => {
  const grid = { from: 0, to: 100, bucketMs: 10 };
  const size = { width: 100, height: 28 };
  const line = drawLine({ times: [0, 10, 60], values: [0, 10, 5] }, grid, size);
  expect(line).toEqual({ path: "M0 24L10 4M60 14", low: 0, high: 10 });
  expect(drawLine({ times: [0, 10], values: [3, 3] }, grid, size)?.path).toBe("M0 14L10 14");
  expect(drawLine({ times: [0], values: [undefined] }, grid, size)).toBeUndefined();
});
