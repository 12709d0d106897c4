// Codes that change with time (RFC 6238), from a secret that an app shares with the server.
import { createHmac, timingSafeEqual } from "node:crypto";
import { CODE_DIGITS, stepsAround } from "#core/access/second-factor.ts";
import type { Instant } from "#core/time/instant.ts";

interface CodeShape {
  readonly digits: number;
  readonly algorithm: "sha1" | "sha256" | "sha512";
}

const OF_APPS: CodeShape = { digits: CODE_DIGITS, algorithm: "sha1" };

/** The code of a time step, or of any other counter (RFC 4226). */
export function codeOfStep(secret: Uint8Array, step: number, { digits, algorithm }: CodeShape = OF_APPS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(step));
  const mac = createHmac(algorithm, secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The latest step that the code is of, if it is accepted now. All are compared, so the time does not tell which one it was. */
export function matchingStep(secret: Uint8Array, code: string, now: Instant): number | undefined {
  const given = Buffer.from(code);
  let found: number | undefined;
  for (const step of stepsAround(now)) {
    const expected = Buffer.from(codeOfStep(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found ??= step;
  }
  return found;
}
