import { expect, test } from "vitest";
import type { LinkedPoints } from "#core/link/messages.ts";
import { createPointsPacker } from "#core/link/pack-points.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import type { instant } from "#core/time/instant.ts";
import { type TakeTelemetryNeeds, takeTelemetry } from "./take-telemetry.ts";

/** What is stored of points that a gateway sends about its device, and why the connection ends. */
async function take([at, values]: readonly [number, LinkedPoints[2]], isPacked: boolean, maxSeries = 1_000) {
  const [stored, reasons]: [unknown[], string[]] = [[], []];
  const needs = {
    telemetry: {
      append: async (points: readonly unknown[]) => void stored.push(...points),
      latest: () => new Map(),
      attributes: async () => new Map([["other", ["a", "b"]]]),
      knownSeries: () => 2,
    },
    telemetryBudget: createByteBudget("link_history", 1e9),
    liveBudget: createByteBudget("link_values", 1e9),
    telemetryCounter: { add: () => {} },
    feed: { isWatched: false },
  } as unknown as TakeTelemetryNeeds;
  const intake = takeTelemetry(needs, {
    devices: new Map([
      ["d", "s"],
      ["other", "s"],
    ]),
    send: async () => {},
    turn: async () => {},
    maxSeries,
    refused: async (deviceId, reason) => void reasons.push(`${deviceId}: ${reason}`),
    fail: (error) => void reasons.push(String(error)),
  });
  const packed = () => createPointsPacker().pack([{ deviceId: "d", at, values: new Map(values) }]);
  await intake.take(
    isPacked
      ? { type: "packed", number: 1, content: packed() }
      : { type: "points", number: 1, messages: [["d", at as ReturnType<typeof instant>, values]] },
  );
  await intake.end();
  return { stored, reasons };
}

test.each([false, true])("points that no device can send are not stored, packed: %s", async (isPacked) => {
  const many = Array.from({ length: 70_000 }, (_, n) => [`a${n}`, n] as const);
  const wrong: (readonly [number, LinkedPoints[2]])[] = [
    [-8.64e15, [["a", 1]]],
    [0, many],
    [0, [["a".repeat(70_000), 1]]],
  ];
  if (!isPacked) wrong.push([0.5, [["a", 1]]]);
  for (const one of wrong) {
    expect(await take(one, isPacked)).toEqual({ stored: [], reasons: [expect.stringContaining("")] });
  }
  expect(await take([1, [["a", 1]]], isPacked)).toEqual({ stored: [expect.anything()], reasons: [] });
});

test.each([false, true])(
  "values of series beyond the limit are left out and reported, packed: %s",
  async (isPacked) => {
    const values = ["a", "b", "c"].map((name) => [name, 1] as const);
    // Two of the four are those of another device.
    const { stored, reasons } = await take([1, values], isPacked, 4);
    expect(stored).toEqual([
      {
        deviceId: "d",
        at: 1,
        values: new Map([
          ["a", 1],
          ["b", 1],
        ]),
      },
    ]);
    expect(reasons).toEqual(["d: a gateway may have 4 series here (link.max_series)"]);
  },
);
