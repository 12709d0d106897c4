import { createECDH, randomBytes } from "node:crypto";
import ece from "http_ece";
import { describe, expect, test } from "vitest";
import { checkVapid } from "../../../test/support/push-service.ts";
import { createVapid, encryptPush, MOST_PUSH_BYTES, problemWithKeys, VAPID_SEED_BYTES } from "./push-crypto.ts";

const privateKey = createECDH("prime256v1");
const p256dh = privateKey.generateKeys().toString("base64url");
const auth = randomBytes(16).toString("base64url");
const subscription = { endpoint: "https://push.example", p256dh, auth };
const decrypt = (body: Buffer) => ece.decrypt(body, { version: "aes128gcm", privateKey, authSecret: auth });

test.each([0, 1, 100, MOST_PUSH_BYTES])("%i bytes are decrypted by another implementation", (length) => {
  const text = randomBytes(length);
  const body = encryptPush(text, subscription);
  expect(decrypt(body).equals(text)).toBe(true);
  expect(body.length).toBe(length + 103);
});

test("a message fits into what push services take, and nothing is encrypted the same way twice", () => {
  expect(encryptPush(Buffer.alloc(MOST_PUSH_BYTES), subscription).length).toBe(4_096);
  expect(() => encryptPush(Buffer.alloc(MOST_PUSH_BYTES + 1), subscription)).toThrow("at most 3993 bytes");
  const [one, other] = [encryptPush(Buffer.from("a"), subscription), encryptPush(Buffer.from("a"), subscription)];
  expect(one.subarray(0, 16).equals(other.subarray(0, 16))).toBe(false);
  expect(one.subarray(21, 86).equals(other.subarray(21, 86))).toBe(false);
});

const point = Buffer.from(p256dh, "base64url");
const changed = (change: (bytes: Buffer) => unknown) => {
  const bytes = Buffer.from(point);
  change(bytes);
  return bytes.toString("base64url");
};

describe("keys that are none are refused with words, and never used", () => {
  test.each([
    ["a point beside the curve", changed((bytes) => bytes.writeUInt8(bytes.readUInt8(64) ^ 1, 64)), auth, "p256dh"],
    ["the point at infinity", Buffer.from([0]).toString("base64url"), auth, "p256dh"],
    ["coordinates of zero", changed((bytes) => bytes.fill(0, 1)), auth, "p256dh"],
    ["coordinates beyond the field", changed((bytes) => bytes.fill(255, 1)), auth, "p256dh"],
    ["a compressed point", privateKey.getPublicKey("base64url", "compressed"), auth, "p256dh"],
    ["a hybrid point", privateKey.getPublicKey("base64url", "hybrid"), auth, "p256dh"],
    ["a short point", point.subarray(0, 64).toString("base64url"), auth, "p256dh"],
    ["a long point", Buffer.concat([point, Buffer.from([0])]).toString("base64url"), auth, "p256dh"],
    ["no base64url", `${p256dh.slice(0, -4)}\r\n: x`, auth, "p256dh"],
    ["nothing", "", auth, "p256dh"],
    ["a short secret", p256dh, randomBytes(15).toString("base64url"), "auth"],
    ["a long secret", p256dh, randomBytes(17).toString("base64url"), "auth"],
    ["no secret", p256dh, "", "auth"],
  ])("%s", (_, key, secret, field) => {
    expect(problemWithKeys({ p256dh: key, auth: secret })).toMatch(new RegExp(`^${field} must be`));
    expect(() => encryptPush(Buffer.from("a"), { ...subscription, p256dh: key, auth: secret })).toThrow(field);
  });
});

describe("who we are", () => {
  const seed = Buffer.alloc(VAPID_SEED_BYTES, 7);
  const NOW = Date.UTC(2026, 10, 14);
  const CONTACT = "mailto:energy@plant.org";

  test("the token is signed by the key that browsers subscribe with, names the service and ends within a day", () => {
    const vapid = createVapid(seed, CONTACT);
    const { key, claims } = checkVapid(vapid.authorization(new URL("https://push.example:444/a/b?c"), NOW));
    expect(key).toBe(vapid.publicKey);
    expect(claims).toEqual({
      aud: "https://push.example:444",
      exp: NOW / 1_000 + 43_200,
      sub: CONTACT,
    });
  });

  test("the same seed is the same key after every start, another one is another", () => {
    expect(createVapid(seed, CONTACT).publicKey).toBe(createVapid(Buffer.from(seed), CONTACT).publicKey);
    expect(createVapid(Buffer.alloc(VAPID_SEED_BYTES, 8), CONTACT).publicKey).not.toBe(
      createVapid(seed, CONTACT).publicKey,
    );
  });

  test.each([0, 255])("a seed of bytes %i gives a key, too", (byte) => {
    const vapid = createVapid(Buffer.alloc(VAPID_SEED_BYTES, byte), CONTACT);
    expect(problemWithKeys({ p256dh: vapid.publicKey, auth })).toBeUndefined();
  });

  test("a seed of another length is refused", () => {
    expect(() => createVapid(Buffer.alloc(32), CONTACT)).toThrow("48 bytes");
  });
});
