import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { factorUri, formatRecoveryCode, parseGivenCode, stepsAround } from "./second-factor.ts";

test.each([
  [0, [1, 0, -1]],
  [29_999, [1, 0, -1]],
  [30_000, [2, 1, 0]],
  [Date.UTC(2026, 10, 19), [59_834_881, 59_834_880, 59_834_879]],
])("at %d the steps %j are accepted", (now, steps) => {
  expect(stepsAround(instant(now))).toEqual(steps);
});

test.each([
  ["123456", { kind: "app", code: "123456" }],
  [" 123 456 ", { kind: "app", code: "123456" }],
  ["abcd-efgh-2345-qrst", { kind: "recovery", code: "ABCDEFGH2345QRST" }],
  ["ABCD EFGH 2345 QRST", { kind: "recovery", code: "ABCDEFGH2345QRST" }],
  ["", undefined],
  ["12345", undefined],
  ["1234567", undefined],
  ["١٢٣٤٥٦", undefined],
  ["ABCDEFGH1890QRST", undefined],
  ["constructor", undefined],
])("[%s] is read as %j", (text, expected) => {
  expect(parseGivenCode(text)).toEqual(expected);
});

test("a recovery code that was shown is read as it is hashed", () => {
  const shown = formatRecoveryCode(new Uint8Array(10).fill(0xa5));
  expect(shown).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  expect(parseGivenCode(shown.toLowerCase())).toEqual({ kind: "recovery", code: shown.replaceAll("-", "") });
});

test("the text of the QR code names whose secret it is, and no name breaks out of it", () => {
  const uri = new URL(factorUri("MZXW6", { issuer: "Busbar at home&secret=x", mail: "anna+a?secret=y@example.org" }));
  expect(uri.protocol).toBe("otpauth:");
  expect(decodeURIComponent(uri.pathname)).toContain("Busbar at home&secret=x:anna+a?secret=y@example.org");
  expect([...uri.searchParams]).toEqual([
    ["secret", "MZXW6"],
    ["issuer", "Busbar at home&secret=x"],
    ["algorithm", "SHA1"],
    ["digits", "6"],
    ["period", "30"],
  ]);
  expect(factorUri("MZXW6", { issuer: "x", mail: "ü".repeat(250) }).length).toBeLessThan(700);
});
