import type { Controller, Given, ParameterProblem, RuleDocument } from "./controller.ts";

export const cheapHours: Controller = {
  id: "cheap_hours",
  displayName: "Cheap hours",
  description:
    "Switches something on while energy is cheap: a battery that charges, a boiler, a pump. By the tariff of the site it takes the cheapest hours of a day, or all below a price; a variable of the site can be the price, too.",
  icon: "cash-clock",
  parameters: [
    {
      name: "device",
      displayName: "Device",
      description: "The device that runs while energy is cheap, by its id or slug.",
      kind: "device",
      required: true,
    },
    {
      name: "control",
      displayName: "Control",
      description: "Its control.",
      kind: "control",
      of: "device",
      required: true,
    },
    {
      name: "value",
      displayName: "Value",
      description: "What the control is set to while energy is cheap. For a battery, negative is charging.",
      kind: "number",
      required: true,
    },
    {
      name: "prices",
      displayName: "Prices",
      description: "Where prices come from: the tariff of the site, or a variable that a program sets.",
      kind: "choice",
      choices: ["tariff", "variable"],
      default: "tariff",
    },
    {
      name: "cheapest",
      displayName: "Cheapest hours",
      description:
        "It runs for so long each day, in the cheapest hours of the tariff. Without it, whenever energy is cheap.",
      kind: "duration",
    },
    {
      name: "before",
      displayName: "Done by",
      description: "The cheapest hours are those of the 24 hours before this time of day.",
      kind: "time",
      default: "00:00",
    },
    {
      name: "unbroken",
      displayName: "In one piece",
      description: "The cheapest hours follow each other without a break.",
      kind: "boolean",
      default: false,
    },
    {
      name: "below",
      displayName: "Cheap below",
      description: "Energy is cheap while the price is below this. Together with cheapest hours, both have to be so.",
      kind: "number",
    },
    {
      name: "price",
      displayName: "Variable",
      description: "The variable of the site with the price of now. Only without the tariff.",
      kind: "variable",
      default: "price",
    },
    {
      name: "min_on",
      displayName: "Shortest time on",
      description: "Once on, it stays on for so long.",
      kind: "duration",
      default: "10m",
    },
  ],
  check: (given, site) => [...neededProblems(given), ...tariffProblems(given, site?.prices)],
  rule: (given) => ({
    name: "Cheap hours",
    description: "Runs while energy is cheap.",
    ...conditionsOf(given),
    actions: [
      {
        claim: given.text("control"),
        device: given.text("device"),
        target: given.number("value"),
        reason: "Energy is cheap now.",
      },
    ],
    min_on: given.text("min_on"),
  }),
};

const byVariable = (given: Given): boolean => given.text("prices") === "variable";

function neededProblems(given: Given): readonly ParameterProblem[] {
  if (byVariable(given) && given.has("cheapest"))
    return [
      { parameter: "cheapest", message: "cheapest needs the tariff: a variable says nothing of the hours to come" },
    ];
  if (given.has("below") || given.has("cheapest")) return [];
  const message = byVariable(given) ? "below is needed" : "cheapest or below is needed: what is cheap?";
  return [{ parameter: byVariable(given) ? "below" : "cheapest", message }];
}

function tariffProblems(given: Given, prices: ReadonlySet<string> | undefined): readonly ParameterProblem[] {
  if (byVariable(given) || prices === undefined || prices.has("import")) return [];
  return [
    { parameter: "prices", message: "the site has no tariff with prices for import; set one, or use a variable" },
  ];
}

/** Of two conditions the cheapest hours come first: they say when it runs at most. */
function conditionsOf(given: Given) {
  const below = given.has("below") ? { below: given.number("below") } : undefined;
  if (byVariable(given)) return { when: [{ variable: given.text("price"), ...below }] };
  if (!given.has("cheapest")) return { when: [{ tariff: "import", ...below }] };
  const hours: RuleDocument = {
    tariff: "import",
    cheapest: given.text("cheapest"),
    before: given.text("before"),
    ...(given.flag("unbroken") ? { unbroken: true } : {}),
  };
  return { when: [hours], ...(below === undefined ? {} : { if: [{ tariff: "import", ...below }] }) };
}
