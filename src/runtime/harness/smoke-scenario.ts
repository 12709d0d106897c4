import { NO_EXPECTATIONS } from "#manifest/scenario/expectations.ts";
import type { Scenario } from "#manifest/scenario/parse-scenarios.ts";
import { DEFAULT_START } from "#manifest/scenario/read-scenario-file.ts";

const SMOKE_MS = 60_000;

/** The scenario for a blueprint without one: a minute during which nobody answers. */
export function smokeScenario(): Scenario {
  const step = { place: { line: 0, column: 0 }, name: "a minute passes", wait: SMOKE_MS };
  return {
    name: "starts and runs for a minute without peers",
    start: DEFAULT_START,
    connected: true,
    configuration: new Map(),
    storage: new Map(),
    peers: new Map(),
    set: new Map(),
    interlocks: new Map(),
    allowUndeclared: [],
    steps: [{ ...step, set: new Map(), send: new Map(), claim: [], release: [], expect: NO_EXPECTATIONS }],
  };
}
