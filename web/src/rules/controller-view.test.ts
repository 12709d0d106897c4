import { expect, test } from "vitest";
import type { Controller, ControllerParameter } from "#client/resources.ts";
import { devicesFor, draftsOf, optionsFor, problemsByField, searchControllers, valuesOf } from "./controller-view.ts";
import type { RuleNames } from "./rule-names.ts";

const parameter = (name: string, more: Partial<ControllerParameter> = {}): ControllerParameter => ({
  name,
  display_name: name,
  description: "",
  kind: "text",
  of: null,
  unit: null,
  min: null,
  max: null,
  default: null,
  required: false,
  choices: null,
  suggests: null,
  ...more,
});
const device = (
  slug: string,
  profiles: readonly string[],
  category: string | null,
  controls: readonly string[] = [],
) => ({
  id: `${slug}-id`,
  slug,
  name: slug,
  category,
  profiles,
  attributes: [],
  commands: [],
  controls: controls.map((name) => ({ name, display_name: name, unit: "W", min: 0, max: 1 })),
  alerts: [],
});
const NAMES: RuleNames = {
  devices: [
    device("attic", [], null),
    device("car", ["energy.ev_charger"], "chargers", ["power"]),
    device("cell", [], "batteries", ["power", "reserve"]),
    device("rack", ["energy.battery"], "batteries"),
  ],
  variables: [],
  calendars: ["holidays"],
  prices: ["import"],
};
const BATTERY = parameter("battery", {
  kind: "device",
  required: true,
  suggests: { profiles: ["energy.battery"], categories: ["batteries"] },
});
const controller = (...parameters: readonly ControllerParameter[]): Controller => ({
  id: "c",
  display_name: "Cheap hours",
  description: "Charges at night.",
  icon: "cash",
  language: "yaml",
  parameters,
});

test("devices that fit come first: by profile, then by category, then the others by name", () => {
  const found = devicesFor(BATTERY, NAMES).map(({ value, isSuggested }) => [value, isSuggested]);
  expect(found).toEqual([
    ["rack", true],
    ["cell", true],
    ["attic", false],
    ["car", false],
  ]);
});

test("a new form begins with defaults and what fits; an opened one with what was given alone", () => {
  const form = controller(
    BATTERY,
    parameter("charger", { kind: "device", suggests: { profiles: ["energy.ev_charger"], categories: [] } }),
    parameter("control", { kind: "control", of: "charger", required: true }),
    parameter("hours", { kind: "number", default: 2.5 }),
    parameter("__proto__", { default: "x" }),
  );
  expect(draftsOf(form, undefined, NAMES)).toMatchObject({
    battery: "rack",
    charger: "car",
    control: "power",
    hours: "2.5",
  });
  expect(draftsOf(form, { battery: "gone", hours: 0 }, NAMES)).toMatchObject({
    battery: "gone",
    charger: "",
    hours: "0",
  });
});

test("controls are those of the chosen device", () => {
  const control = parameter("control", { kind: "control", of: "battery" });
  const values = (drafts: Record<string, string>) => optionsFor(control, drafts, NAMES)?.map(({ value }) => value);
  expect(values({ battery: "cell" })).toEqual(["power", "reserve"]);
  expect(values({ battery: "gone" })).toEqual([]);
  expect(optionsFor(parameter("c", { kind: "calendar" }), {}, NAMES)?.[0]?.value).toBe("holidays");
  expect(optionsFor(parameter("n", { kind: "number" }), {}, NAMES)).toBeUndefined();
});

test("numbers are sent as numbers; what is none is sent as it is, and what is empty not at all", () => {
  const form = controller(
    parameter("a", { kind: "number" }),
    parameter("b", { kind: "integer" }),
    parameter("c", { kind: "boolean" }),
    parameter("d"),
    parameter("e"),
  );
  expect(valuesOf(form, { a: "1,5", b: "many", c: "true", d: " ", e: "5" })).toEqual({
    a: 1.5,
    b: "many",
    c: true,
    e: "5",
  });
});

test("each problem is at its field, and what no field causes is not lost", () => {
  const found = problemsByField([
    { pointer: "/parameters/a", message: "a is needed" },
    { pointer: "/parameters/a", message: "and more" },
    { pointer: "/slug", message: "no slug" },
    { pointer: "", message: "all of it" },
  ]);
  expect([...found]).toEqual([
    ["a", "a is needed and more"],
    ["/slug", "no slug"],
    ["", "all of it"],
  ]);
});

test("a search looks at names and descriptions", () => {
  expect(searchControllers([controller()], "NIGHT").length).toBe(1);
  expect(searchControllers([controller()], "solar")).toEqual([]);
});
