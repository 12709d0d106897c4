import type { Controller } from "./controller.ts";

export const cheapHours: Controller = {
  id: "cheap_hours",
  displayName: "Cheap hours",
  description:
    "Switches something on while energy is cheap: a battery that charges, a boiler, a pump. The price is a variable of the site.",
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
      name: "price",
      displayName: "Price",
      description: "A variable of the site with the price of now.",
      kind: "variable",
      default: "price",
    },
    {
      name: "below",
      displayName: "Cheap below",
      description: "Energy is cheap while the price is below this.",
      kind: "number",
      required: true,
    },
    {
      name: "min_on",
      displayName: "Shortest time on",
      description: "Once on, it stays on for so long.",
      kind: "duration",
      default: "10m",
    },
  ],
  rule: (given) => ({
    name: "Cheap hours",
    description: "Runs while energy is cheap.",
    when: [{ variable: given.text("price"), below: given.number("below") }],
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
