import type { Expectations } from "./scenario.ts";

export const NO_EXPECTATIONS: Expectations = {
  telemetry: new Map(),
  properties: new Map(),
  activeAlerts: undefined,
  raisedAlerts: [],
  clearedAlerts: [],
  response: undefined,
  error: undefined,
  progress: [],
  noResponse: undefined,
  log: [],
  noLog: [],
  luaErrors: [],
  storage: new Map(),
  writes: new Map(),
  requests: new Map(),
  frames: new Map(),
  sent: new Map(),
  published: new Map(),
  outputs: new Map(),
};
