import type { DeviceRuntime } from "#client/resources/device.ts";

export const RUNTIME_TONES = {
  STARTING: "info",
  RUNNING: "ok",
  OVERRUNNING: "warning",
  QUARANTINED: "error",
  FAILED: "error",
  STOPPED: "neutral",
} as const satisfies Readonly<Record<DeviceRuntime["state"], string>>;
