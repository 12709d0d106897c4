import { expect, test } from "vitest";
import { createConnectionKeys } from "./connection-keys.ts";
import { secretKey } from "./hash-secret.ts";

const TOKEN = "bb_0192-secret-of-a-person";
const LONG = "x".repeat(10_000);

test("a text has the same key on every connection, whatever came before it", () => {
  const keyOn = createConnectionKeys();
  const [one, other] = [{}, {}];
  const texts = [
    TOKEN,
    TOKEN,
    `${TOKEN}x`,
    TOKEN.slice(1),
    TOKEN.replace("p", "q"),
    TOKEN,
    "",
    LONG,
    LONG,
    `${LONG.slice(1)}y`,
  ];
  for (const text of texts) {
    for (const connection of [one, other, {}]) expect(keyOn(connection, text)).toBe(secretKey(text));
  }
});
