import type { DeviceRuntime } from "#client/resources.ts";

export const RUNTIME_TONES = {
  STARTING: "info",
  RUNNING: "ok",
  NOT_CONFIGURED: "warning",
  COMMUNICATION_FAILED: "error",
  OVERRUNNING: "warning",
  QUARANTINED: "error",
  FAILED: "error",
  STOPPED: "neutral",
} as const satisfies Readonly<Record<DeviceRuntime["state"], string>>;
