import { NO_EXPECTATIONS } from "#core/scenario/no-expectations.ts";
import type { Scenario } from "#core/scenario/scenario.ts";

const SMOKE_MS = 60_000;

/** The scenario for a blueprint without one: a minute during which nobody answers. */
export function smokeScenario(): Scenario {
  return {
    name: "starts and runs for a minute without peers",
    description: "",
    startsAt: Date.UTC(2026, 0, 1),
    seed: undefined,
    isConnected: true,
    configuration: new Map(),
    storage: new Map(),
    peers: new Map(),
    changes: new Map(),
    allowUndeclared: new Set(),
    steps: [
      {
        place: { line: 0, column: 0 },
        name: "a minute passes",
        at: undefined,
        changes: new Map(),
        sends: new Map(),
        configuration: undefined,
        storage: undefined,
        isConnected: undefined,
        clock: undefined,
        restarts: false,
        command: undefined,
        wait: SMOKE_MS,
        within: undefined,
        expect: NO_EXPECTATIONS,
      },
    ],
  };
}
