// The points of batch number `index`: the same wherever they are made, so that whoever checks needs only the number.
import { instant } from "#core/time/instant.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import { randomFrom } from "../support/random.ts";

export const DEVICES = ["a", "b", "c"] as const;
const STEP_MS = 60_000;
const ROWS = 20;

/** A batch is twenty minutes; every third one also repeats times of earlier hours with new values. */
export function batchOf(index: number): readonly TelemetryPoints[] {
  const random = randomFrom(index);
  return Array.from({ length: ROWS }, (_, row) => {
    const isLate = index % 3 === 0 && random() < 0.3;
    const place = isLate ? Math.floor(random() * index * ROWS) : index * ROWS + row;
    const deviceId = DEVICES[Math.floor(random() * DEVICES.length)] ?? "a";
    const values = new Map<string, number | string>([
      ["n", index + row / 100],
      ["text", `${index}.${row}`],
    ]);
    return { deviceId, at: instant(place * STEP_MS), values };
  });
}
