import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { codeOfStep, matchingStep } from "./totp.ts";

const SEED = "1234567890".repeat(7);
const SECRETS = { sha1: SEED.slice(0, 20), sha256: SEED.slice(0, 32), sha512: SEED.slice(0, 64) };

// The table of RFC 6238, appendix B.
test.each([
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"],
])("the codes at %d s are those of RFC 6238", (seconds, sha1, sha256, sha512) => {
  const step = Math.floor(seconds / 30);
  const codes = (["sha1", "sha256", "sha512"] as const).map((algorithm) =>
    codeOfStep(Buffer.from(SECRETS[algorithm]), step, { digits: 8, algorithm }),
  );
  expect(codes).toEqual([sha1, sha256, sha512]);
});

// The table of RFC 4226, appendix D.
test("codes of counters are those of RFC 4226", () => {
  const codes = Array.from({ length: 10 }, (_, counter) => codeOfStep(Buffer.from(SECRETS.sha1), counter));
  expect(codes.join(" ")).toBe("755224 287082 359152 969429 338314 254676 287922 162583 399871 520489");
});

test("codes of the step before and after are accepted, and no others", () => {
  const secret = Buffer.from(SECRETS.sha1);
  const now = instant(1_234_567_890_000);
  const step = Math.floor(now / 30_000);
  const found = [-2, -1, 0, 1, 2].map((off) => matchingStep(secret, codeOfStep(secret, step + off), now));
  expect(found).toEqual([undefined, step - 1, step, step + 1, undefined]);
  for (const code of ["", "12345", "1234567", "٠٠٠٠٠٠"]) expect(matchingStep(secret, code, now)).toBeUndefined();
});
