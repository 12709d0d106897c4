import { expect, test } from "vitest";
import { createFollowOnce } from "./follow-once.ts";

test("the same promise has one follower, another one its own", async () => {
  let made = 0;
  const follow = createFollowOnce((promise: Promise<number>) => promise.then((value) => value + ++made));
  const [one, other] = [Promise.resolve(10), Promise.resolve(20)];
  expect(follow(one)).toBe(follow(one));
  expect([await follow(one), await follow(other), await follow(one)]).toEqual([11, 22, 13]);
});

test("a failure reaches everybody who waits for the follower", async () => {
  const follow = createFollowOnce((promise: Promise<number>) => promise.finally(() => {}));
  const failing = Promise.reject(new Error("full"));
  const both = await Promise.allSettled([follow(failing), follow(failing)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
