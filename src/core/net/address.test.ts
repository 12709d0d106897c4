import { expect, test } from "vitest";
import { isInRange, parseAddress, parseRange } from "./address.ts";

test.each([
  ["0.0.0.0", 4, 0n],
  ["10.0.0.1", 4, 0x0a000001n],
  ["255.255.255.255", 4, 0xffffffffn],
  ["::", 6, 0n],
  ["::1", 6, 1n],
  ["1::", 6, 1n << 112n],
  ["1:2:3:4:5:6:7:8", 6, 0x00010002000300040005000600070008n],
  ["1:2:3:4:5:6:7::", 6, 0x00010002000300040005000600070000n],
  ["FE80::A%eth0", 6, (0xfe80n << 112n) | 10n],
  ["::ffff:10.0.0.1", 4, 0x0a000001n],
  ["::ffff:a00:1", 4, 0x0a000001n],
  ["0:0:0:0:0:ffff:10.0.0.1", 4, 0x0a000001n],
  ["64:ff9b::10.0.0.1", 6, (0x64ff9bn << 96n) | 0x0a000001n],
])("%s is an address", (text, family, value) => {
  expect(parseAddress(text)).toEqual({ family, value });
});

test.each([
  "",
  ".",
  "1.2.3",
  "1.2.3.4.5",
  "1.2.3.256",
  "01.2.3.4",
  "0x1.2.3.4",
  "1.2.3.4 ",
  ":",
  ":::",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1::2::3",
  "1:2:3:4:5:6:7:8::",
  "12345::",
  "g::",
  "::1.2.3",
  "1.2.3.4::",
  "::1.2.3.4:5",
  "[::1]",
  "localhost",
])("%j is no address", (text) => {
  expect(parseAddress(text)).toBeUndefined();
});

test.each([
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.1.2.3/8", "10.9.9.9", true],
  ["10.0.0.1", "10.0.0.1", true],
  ["10.0.0.1", "10.0.0.2", false],
  ["0.0.0.0/0", "203.0.113.1", true],
  ["0.0.0.0/0", "::1", false],
  ["::/0", "10.0.0.1", false],
  ["::ffff:10.0.0.0/104", "10.2.3.4", true],
  ["::ffff:10.0.0.0/104", "::ffff:10.2.3.4", true],
  ["fc00::/7", "fd00::1", true],
  ["fc00::/7", "fe00::1", false],
])("whether %s holds %s: %s", (range, address, isHeld) => {
  const [parsed, within] = [parseRange(range), parseAddress(address)];
  expect(parsed && within && isInRange(parsed, within)).toBe(isHeld);
});

test.each(["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/x", "::ffff:10.0.0.0/95"])(
  "%s is no range",
  (text) => {
    expect(parseRange(text)).toBeUndefined();
  },
);
