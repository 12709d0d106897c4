// An app that makes codes for a second factor, written from the text of RFC 6238 and independent of the server's own.
import { createHmac } from "node:crypto";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((digit) => DIGITS.indexOf(digit).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of an app with this secret, `steps` half minutes from now. */
export function appCode(secret: string, steps = 0): string {
  const counter = Math.floor(Date.now() / 30_000) + steps;
  const message = Buffer.from(counter.toString(16).padStart(16, "0"), "hex");
  const mac = createHmac("sha1", bytesOf(secret)).update(message).digest();
  const offset = (mac[19] ?? 0) % 16;
  const number = Number.parseInt(mac.subarray(offset, offset + 4).toString("hex"), 16) % 2 ** 31;
  return String(number).slice(-6).padStart(6, "0");
}
