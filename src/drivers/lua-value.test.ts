import { expect, test } from "vitest";
import { bytesOf, luaValueOf, plainOf, textOf } from "./lua-value.ts";
import { noDrivers } from "./no-drivers.ts";

test.each(["", "plain", "Grüße, 電力 ⚡"])("text %j passes the border and back", (text) => {
  expect(textOf(bytesOf(text))).toBe(text);
});

test("text is one character a byte for a script", () => {
  expect(bytesOf("é")).toBe("\u00c3\u00a9");
});

test("bytes that are no UTF-8 read as replacement characters", () => {
  expect(textOf("a\xff")).toBe("a\ufffd");
});

test("JSON becomes plain Lua values and back", () => {
  const json = { name: "Übergabe", list: [1, 2.5, true, "x"], nested: { constructor: "own", nothing: null } };
  expect(luaValueOf(json)).toEqual(
    new Map<string, unknown>([
      ["name", "\u00c3\u009cbergabe"],
      ["list", [1, 2.5, true, "x"]],
      [
        "nested",
        new Map([
          ["constructor", "own"],
          ["nothing", undefined],
        ]),
      ],
    ]),
  );
  expect(JSON.parse(JSON.stringify(plainOf(luaValueOf(json))))).toEqual(json);
});

test("a function never crosses the border", () => {
  expect(() => luaValueOf({ run: () => 1 })).toThrow("a function has no place in Lua");
});

test("without drivers every call answers that there is none of that name", async () => {
  expect(await noDrivers.call("modbus.open", ["tcp://10.0.0.5:502"])).toEqual([undefined, "no driver for modbus.open"]);
});
