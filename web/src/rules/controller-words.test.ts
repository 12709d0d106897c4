import { expect, test } from "vitest";
import type { Controller as Wire } from "#client/resources.ts";
import { CONTROLLERS } from "#core/rule/controllers/all-controllers.ts";
import { renderController } from "#core/rule/controllers/render-controller.ts";
import { CONTROLLER_GERMAN } from "./controller-german.ts";
import { controllerText, problemIn } from "./controller-words.ts";

const TEXTS = CONTROLLERS.flatMap(({ displayName, description, parameters }) => [
  ...[displayName, description],
  ...parameters.flatMap((one) => [one.displayName, one.description]),
]);

test("every text of every ready controller has a German one", () => {
  const missing = TEXTS.filter(
    (text) => controllerText(text, "de") === text && !["Reserve", "Variable"].includes(text),
  );
  expect(missing).toEqual([]);
  expect(TEXTS.length).toBeGreaterThan(100);
});

test("no German text is of something that nobody says, and each has the places of the English", () => {
  const said = new Set(TEXTS.map((text) => text.replace(/(\b(?:[Ll]oad|[Dd]evice) )\d$/, "$1{n}")));
  const texts = Object.keys(CONTROLLER_GERMAN).filter(
    (english) => !/^(?:is |must |has |needs |or |the site |\{device\} )/.test(english),
  );
  expect(texts.filter((english) => !said.has(english))).toEqual([]);
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const [english, german] of Object.entries(CONTROLLER_GERMAN))
    expect([english, places(german)]).toEqual([english, places(english)]);
});

function wireOf(id: string): Wire {
  const { parameters = [] } = CONTROLLERS.find((one) => one.id === id) ?? {};
  return {
    id,
    parameters: parameters.map(({ name, displayName }) => ({ name, display_name: displayName })),
  } as unknown as Wire;
}

test.each([
  ["cheap_hours", {}, "Gerät fehlt"],
  ["cheap_hours", { value: "much" }, 'Wert muss eine Zahl sein, nicht "much"'],
  [
    "cheap_hours",
    { device: "b", control: "c", value: 1 },
    "Günstigste Stunden oder „Günstig unter“ fehlt: Was ist günstig?",
  ],
  [
    "cheap_hours",
    { device: "b", control: "c", value: 1, prices: "variable", cheapest: "4h" },
    "Günstigste Stunden brauchen den Tarif: Eine Variable sagt nichts über die kommenden Stunden",
  ],
  ["surplus_charging", { phases: 4 }, "Phasen darf höchstens 3 sein, nicht 4"],
  ["surplus_charging", { phases: 1.5 }, "Phasen muss eine ganze Zahl sein, nicht 1.5"],
  ["surplus_charging", { min_power: "x" }, 'Kleinste Leistung muss eine Zahl in W sein, nicht "x"'],
  ["surplus_charging", { night_from: "late" }, "Nachts ab muss eine Uhrzeit wie 07:30, sunset oder sunrise-30m sein"],
  ["peak_limit", { window: "5m" }, 'Zeitfenster muss eines von 15m, 30m, 60m sein, nicht "5m"'],
  ["cheap_hours", { min_on: 5 }, "Kürzeste Zeit ein muss eine Dauer wie 5m sein, nicht 5"],
])("what is wrong with %s of %j is said in German: %s", (id, values, expected) => {
  const controller = CONTROLLERS.find((one) => one.id === id);
  const problems = controller === undefined ? [] : renderController(controller, values).problems;
  const said = problems.map(({ parameter, message }) =>
    problemIn({ pointer: `/parameters/${parameter}`, message }, wireOf(id), "de"),
  );
  expect(said).toContain(expected);
});

test("names that the site does not have are said in German, with what may be meant", () => {
  const values = { device: "boilr", control: "heat", value: 1, below: 1 };
  const site = {
    devices: new Map([["boiler", undefined]]),
    variables: undefined,
    calendars: undefined,
    hasLocation: false,
  };
  const cheap = CONTROLLERS.find((one) => one.id === "cheap_hours");
  const [first] = cheap === undefined ? [] : renderController(cheap, values, site).problems;
  const said = problemIn(
    { pointer: `/parameters/${first?.parameter}`, message: first?.message ?? "" },
    wireOf("cheap_hours"),
    "de",
  );
  expect(said).toBe('der Standort hat kein Gerät "boilr"; meinten Sie boiler?');
});
