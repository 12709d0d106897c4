import { payload } from "./payloads.ts";

/** Every text of the manifest language that a page may show. */
export function hostileManifest(): object {
  const text = () => ({ display_name: payload(), description: payload() });
  const values = (color?: string) => ({
    a: { display_name: payload(), description: payload(), color },
    b: { display_name: payload() },
  });
  const fields = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`f${i}`, { type: "string", ...text(), default: payload() }]),
    );
  return {
    blueprint_spec: "device/3.0",
    ...text(),
    category: "sensors",
    runtime: { type: "embedded", requirements: [payload()] },
    author: payload(),
    contributors: [payload(), payload()],
    license: payload(),
    support: { url: "https://support.example/", email: "a@b.example" },
    units: { odd: { symbol: payload(), ...text() } },
    properties: { note: { type: "string", ...text() }, model: { type: "string", ...text() } },
    telemetry: {
      status: { type: "string", ...text(), enum: values("red") },
      note: { type: "string", ...text() },
      tags: { type: "array_of_strings", ...text() },
      power: { type: "float", ...text(), unit: "odd" },
    },
    command_groups: { odd: text() },
    commands: Object.fromEntries(
      ["one", "two", "three"].map((name) => [
        name,
        {
          ...text(),
          group: "odd",
          ui: { quick_access: true },
          confirmation: { severity: "warning", title: payload(), description: payload() },
          arguments: { ...fields(4), choice: { type: "string", ...text(), enum: values() } },
          response: { note: { type: "string", ...text() } },
        },
      ]),
    ),
    alerts: Object.fromEntries(
      ["hot", "cold"].map((name) => [
        name,
        {
          severity: "error",
          ...text(),
          code: payload(),
          troubleshooting: [payload(), payload()],
          components: [payload()],
          conditions: [payload()],
        },
      ]),
    ),
    configuration: { bucket: { ...text(), parameters: fields(4) } },
  };
}
