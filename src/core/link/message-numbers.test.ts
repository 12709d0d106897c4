import { expect, test } from "vitest";
import { LinkMistake } from "./message-fields.ts";
import { createMessageNumbers } from "./message-numbers.ts";

/** Two sides, each of which has heard the first message of the other. */
function connected(gatewayNonce: number, cloudNonce: number) {
  const [gateway, cloud] = [createMessageNumbers(gatewayNonce), createMessageNumbers(cloudNonce)];
  expect(cloud.isNew(gateway.next())).toBe(true);
  expect(gateway.isNew(cloud.next())).toBe(true);
  return { gateway, cloud };
}

test.each([
  [0, 0],
  [1, 2],
  [2 ** 32 - 1, 2 ** 31],
])("messages in order are new, and each of them only once (%i, %i)", (one, other) => {
  const { gateway, cloud } = connected(one, other);
  const up = Array.from({ length: 5 }, () => gateway.next());
  const down = Array.from({ length: 5 }, () => cloud.next());
  expect([...up.map(cloud.isNew), ...up.map(cloud.isNew)]).toEqual([...Array(5).fill(true), ...Array(5).fill(false)]);
  expect(down.map(gateway.isNew)).toEqual(Array(5).fill(true));
  expect(cloud.isNew(one)).toBe(false);
});

test("a message of another connection of the same gateway, or one that comes after a lost one, is a mistake", () => {
  const former = connected(17, 4);
  const old = former.gateway.next();
  const { gateway, cloud } = connected(17, 5);
  expect(() => cloud.isNew(old)).toThrow(LinkMistake);
  gateway.next();
  expect(() => cloud.isNew(gateway.next())).toThrow(LinkMistake);
});
