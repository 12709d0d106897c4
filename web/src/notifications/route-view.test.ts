import { expect, test } from "vitest";
import { bodyOf, changeStep, draftOf, LENGTHS, NEW_ROUTE, problemsOf, withOwn, withStep } from "./route-view.ts";

test("a route needs a name, and each step somebody who is told", () => {
  expect([...problemsOf(NEW_ROUTE)]).toEqual(["name", "steps.0"]);
  const draft = withStep(changeStep({ ...NEW_ROUTE, name: "All" }, 0, { channels: ["a"] }));
  expect([...problemsOf(draft)]).toEqual(["steps.1"]);
});

test("the next step is later than those before it", () => {
  const two = withStep(NEW_ROUTE);
  expect(two.steps[1]?.after).toBe("15m");
  expect(withStep(two).steps[2]?.after).toBe("30m");
  expect(withStep(changeStep(two, 1, { after: "3d" })).steps[2]?.after).toBe("1d");
});

test("steps are sent in the order of their times; what is not wanted is not sent", () => {
  const draft = {
    ...NEW_ROUTE,
    name: " All ",
    steps: [
      { after: "1h", channels: ["b"] },
      { after: "0s", channels: ["a"] },
    ],
  };
  expect(bodyOf(draft)).toEqual({
    ...{ name: "All", enabled: true, severity: "warning", profiles: [], rules: true, group: "30s", over: true },
    steps: [
      { after: "0s", channels: ["a"] },
      { after: "1h", channels: ["b"] },
    ],
  });
});

test("a stored route is shown as it is", () => {
  const stored = {
    ...{
      id: "r",
      site_id: "s",
      name: "All",
      enabled: false,
      severity: "error" as const,
      profiles: ["p"],
      hours: "night",
    },
    ...{ rules: false, group: "45s", remind: "90m", over: false, steps: [{ after: "20m", channels: ["a"] }] },
    ...{ created_at: "", updated_at: "" },
  };
  const { id: _, site_id: __, created_at: ___, updated_at: ____, ...content } = stored;
  expect(bodyOf(draftOf(stored))).toEqual(content);
});

test("a length that nobody offers is offered besides", () => {
  expect(withOwn(LENGTHS.group, "45s")).toEqual([...LENGTHS.group, "45s"]);
  expect(withOwn(LENGTHS.group, "30s")).toEqual(LENGTHS.group);
});
