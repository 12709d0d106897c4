import { expect, test } from "vitest";
import { parseDownMessage, parseUpMessage } from "./parse-message.ts";

const points = (...pairs: readonly unknown[]) =>
  parseUpMessage({ type: "points", number: 1, messages: [["d", 5, pairs]] });

test.each([0, -1.5, true, false, "", "on"])("a point may be %j", (value) => {
  expect(points(["power", value])).toMatchObject({ messages: [["d", 5, [["power", value]]]] });
});

test.each([[["power"]], [["power", null]], [["power", Infinity]], [["power", {}]], [[5, 5]], ["power"], [null]])(
  "%j is no point",
  (pair) => {
    expect(() => points(pair)).toThrow("a point has no value");
  },
);

const WELCOME = { type: "welcome", protocol: "1.0", version: "1", epoch: "e", unpacks: true, refused: [] };

test.each([null, 0, 7])("a welcome says up to which number the cloud has taken: %j", (taken) => {
  expect(parseDownMessage({ ...WELCOME, taken })).toMatchObject({ taken });
});

test.each([undefined, -1, "7"])("a welcome that has taken %j is a mistake", (taken) => {
  expect(() => parseDownMessage({ ...WELCOME, taken })).toThrow("taken");
});
