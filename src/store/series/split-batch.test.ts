import { expect, test } from "vitest";
import { BatchWriter, readBatch } from "./batch.ts";
import { packSealMark, parseSealMark } from "./seal-mark.ts";
import { splitBatch } from "./split-batch.ts";

function contents(batch: Uint8Array): readonly string[] {
  const found: string[] = [];
  readBatch(batch, {
    define: ({ series }) => void found.push(`define ${series}`),
    message: (device, at) => void found.push(`${device} at ${at}`),
    value: (series, value) => void found.push(`${series}=${value}`),
    forget: (device) => void found.push(`forget ${device}`),
  });
  return found;
}

test("a batch is split by its devices, in order and without definitions", () => {
  const writer = new BatchWriter();
  const message = (device: number, at: number, text: string) => {
    writer.message(device, at, 3);
    writer.value(1, at / 2);
    writer.value(2, true);
    writer.value(3, text);
  };
  writer.define({ series: 1, device: 1, deviceId: "a", attribute: "n", kind: "number" });
  message(1, 10, "ä");
  message(3, 11, "");
  writer.forget(1);
  message(2, 12, "x".repeat(70_000));
  message(1, 13, "last");
  const parts = splitBatch(writer.take(), (device) => device % 2);
  expect([...parts.keys()].sort()).toEqual([0, 1]);
  expect(contents(parts.get(0) ?? new Uint8Array())).toEqual(["2 at 12", "1=6", "2=true", `3=${"x".repeat(70_000)}`]);
  expect(contents(parts.get(1) ?? new Uint8Array())).toEqual([
    ...["1 at 10", "1=5", "2=true", "3=ä"],
    ...["3 at 11", "1=5.5", "2=true", "3="],
    "forget 1",
    ...["1 at 13", "1=6.5", "2=true", "3=last"],
  ]);
  expect(splitBatch(new Uint8Array(), () => 0).size).toBe(0);
});

test("a mark of sealing is read as it was written", () => {
  const mark = {
    last: 2 ** 40 + 1,
    hours: [
      { device: 1, hour: -5 },
      { device: 4_000_000_000, hour: 495_000 },
    ],
  };
  expect(parseSealMark(packSealMark(mark))).toEqual(mark);
  expect(() => parseSealMark(new Uint8Array(3))).toThrow();
});
