import { expect, test } from "vitest";
import { formatProblem } from "./string-format.ts";

/** Format: texts that fit | texts that do not. */
test.each([
  ["connection_uri", "tcp://192.0.2.7:502 serial:///dev/ttyUSB0 modbus+tcp:x", "192.0.2.7 ://x 1tcp:x tcp:"],
  ["uri", "https://example.com/path urn:a:b mailto:a@b", "example.com /path :x"],
  ["url", "https://example.com HTTP://a/b?c#d", "ftp://a https:// example.com http://"],
  ["date", "2026-11-14 2024-02-29", "2026-02-29 2026-13-01 14.11.2026 2026-1-1"],
  ["date-time", "2026-11-14T12:00:00Z 2026-11-14T12:00:00.5+02:00", "2026-11-14 2026-11-14T12:00:00"],
  ["datetime", "2026-11-14T12:00:00Z", "now"],
  ["time", "14:30 00:00:00 23:59:59.999", "24:00 14:60 2:30 14"],
  ["duration", "2h45m 1.5s 10ms", "2 h -1s 1x"],
  ["timezone", "Europe/Berlin UTC", "Europe/Atlantis Berlin"],
  ["email", "name@example.com a.b+c@d.co", "name@ @example.com a@b a@.com a@b..c"],
  ["hostname", "a device.example.com x-1.y", "-a a- a..b a_b a.b-"],
  ["ipv4", "192.0.2.7 0.0.0.0 255.255.255.255", "256.0.0.1 1.2.3 1.2.3.4.5 01.2.3.4 1.2.3.04"],
  ["ipv6", "2001:db8::7 ::1 ::", "192.0.2.7 2001:db8 :::1 g::1"],
  ["uuid", "01a1dd27-6bc6-7b2a-9407-e0dac5905e24 01A1DD27-6BC6-7B2A-9407-E0DAC5905E24", "01a1dd27 x"],
])("%s takes [%s] and refuses [%s]", (format, good, bad) => {
  for (const text of good.split(" ")) expect([text, formatProblem(format, text)]).toEqual([text, undefined]);
  for (const text of bad.split(" ")) {
    expect([text, formatProblem(format, text)]).toEqual([
      text,
      expect.stringContaining(`must be written as ${format}`),
    ]);
  }
});

test("empty text fits no format, and a long one costs nothing", () => {
  for (const format of ["url", "date", "email", "hostname", "ipv4", "ipv6", "uuid", "time", "duration", "timezone"]) {
    expect(formatProblem(format, "")).toBeDefined();
    expect(formatProblem(format, `${"a.".repeat(50_000)}@`)).toBeDefined();
  }
});

test("a format that nobody knows checks nothing, whatever it is called", () => {
  for (const format of ["iban", "constructor", "__proto__", ""]) expect(formatProblem(format, "x")).toBeUndefined();
});

test("a problem gives an example that fits", () => {
  for (const format of ["connection_uri", "uri", "url", "date", "date-time", "time", "duration", "timezone", "email"]) {
    const example = formatProblem(format, " ")?.split("for example ")[1] ?? "";
    expect([format, formatProblem(format, example)]).toEqual([format, undefined]);
  }
});
