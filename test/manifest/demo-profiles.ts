import { createProfileLibrary, type Profile } from "#core/blueprint/profile.ts";

const field = { displayName: undefined, description: "", unit: undefined, enum: undefined };
const profile = {
  displayName: undefined,
  isDraft: false,
  description: "",
  implements: [],
  properties: new Map(),
  telemetry: new Map(),
  commands: new Map(),
  controls: new Map(),
};

/** A small library: a meter, and a battery that includes it. */
const DEMO_PROFILES: readonly Profile[] = [
  { ...profile, id: "demo.meter", telemetry: new Map([["power", { ...field, type: "float", unit: "kW" }]]) },
  {
    ...profile,
    id: "demo.battery",
    implements: ["demo.meter", "demo.circle"],
    properties: new Map([["capacity", { ...field, type: "float", unit: "kWh" }]]),
    telemetry: new Map([
      [
        "mode",
        {
          ...field,
          type: "string",
          enum: ["idle", "busy"].map((value) => ({
            value,
            displayName: undefined,
            description: undefined,
            color: undefined,
          })),
        },
      ],
    ]),
    commands: new Map([
      [
        "charge",
        {
          displayName: "Charge",
          description: "",
          arguments: new Map([["power", { ...field, type: "float", unit: "kW", required: true }]]),
          response: new Map([["accepted", { ...field, type: "boolean" }]]),
        },
      ],
    ]),
  },
  { ...profile, id: "demo.circle", implements: ["demo.battery"] },
  { ...profile, id: "demo.next", isDraft: true },
];

export const DEMO_LIBRARY = createProfileLibrary(DEMO_PROFILES);
