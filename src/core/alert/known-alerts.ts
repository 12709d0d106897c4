// Alerts that scripts raise by habit and blueprints often leave undeclared.
import type { Alert } from "#core/blueprint/blueprint.ts";
import { NO_TIME } from "#core/time/duration.ts";

/** By id. A declaration of the blueprint wins. */
export const KNOWN_ALERTS: ReadonlyMap<string, Alert> = new Map(
  [
    known("not_configured", {
      severity: "warning",
      displayName: "Not configured",
      description: "The device is not configured yet: its configuration lacks a value that it needs.",
    }),
    known("communication_failed", {
      severity: "error",
      displayName: "Communication failed",
      description: "The integration cannot communicate with the device.",
    }),
    known("control_not_followed", {
      severity: "error",
      displayName: "Does not follow",
      description: "A value was sent to the device several times, and it does not follow. Its controls say which one.",
    }),
    known("control_contradicted", {
      severity: "warning",
      displayName: "Limits contradict each other",
      description: "Claims limit a control of the device to values that exclude each other. The safe side counts.",
    }),
    known("interlock_holds", {
      severity: "warning",
      displayName: "Limited by an interlock",
      description: "An interlock of the site limits the device. The interlocks of the site say which one and why.",
    }),
    known("interlock_blind", {
      severity: "error",
      displayName: "An interlock sees nothing",
      description: "A measurement that an interlock needs is missing or too old, so the device has its safe value.",
    }),
    known("interlock_damaged", {
      severity: "error",
      displayName: "An interlock is damaged",
      description:
        "The stored document of an interlock cannot be read, so the device is held at its safe value. Set the interlock again or remove it.",
    }),
    known("grid_limited", {
      severity: "info",
      displayName: "Limited by the grid operator",
      description: "The grid operator limits the device now.",
    }),
    known("grid_failsafe", {
      severity: "error",
      displayName: "Nothing heard of the grid operator",
      description: "The signal of the grid operator is lost, so the values for this case count until it is back.",
    }),
  ].map((alert) => [alert.id, alert]),
);

function known(id: string, words: Pick<Alert, "severity" | "displayName" | "description">): Alert {
  const lists = { troubleshooting: [], telemetry: [], components: [], conditions: [] };
  return { id, ...words, code: undefined, gracePeriod: NO_TIME, ...lists };
}
