import { expect, test } from "vitest";
import { createBackground } from "#service/background.ts";
import { createFakeClock } from "../../test/support/fake-clock.ts";
import { NOON } from "../../test/support/records.ts";
import { AGAIN_MS, createLookout } from "./lookout.ts";

function makeWorld() {
  const clock = createFakeClock(NOON);
  const failures: string[] = [];
  const looks: PromiseWithResolvers<void>[] = [];
  const background = createBackground((_, error) => void failures.push(String(error)));
  const look = () => {
    const one = Promise.withResolvers<void>();
    looks.push(one);
    return one.promise;
  };
  const lookout = createLookout({ background, after: clock.after }, { name: "look", look, longestWaitMs: 60_000 });
  const settled = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { clock, lookout, looks, failures, settled };
}

test("one look at a time; what comes meanwhile is looked at once more, however often it came", async () => {
  const { lookout, looks, settled } = makeWorld();
  lookout.wake();
  await settled();
  lookout.wake();
  lookout.wake();
  await settled();
  expect(looks).toHaveLength(1);
  looks[0]?.resolve();
  await settled();
  expect(looks).toHaveLength(2);
  looks[1]?.resolve();
  await settled();
  expect(looks).toHaveLength(2);
});

test("a look that fails is reported and comes again after a pause", async () => {
  const { clock, lookout, looks, failures, settled } = makeWorld();
  lookout.wake();
  await settled();
  looks[0]?.reject(new Error("away"));
  await settled();
  expect(failures).toEqual(["Error: away"]);
  await clock.advance(AGAIN_MS - 1);
  expect(looks).toHaveLength(1);
  await clock.advance(1);
  expect(looks).toHaveLength(2);
});

test("the next look replaces the one before, is never farther away than the longest wait, and none comes after a stop", async () => {
  const { clock, lookout, looks } = makeWorld();
  lookout.wakeAfter(10);
  lookout.wakeAfter(10_000_000);
  await clock.advance(59_999);
  expect(looks).toHaveLength(0);
  await clock.advance(1);
  expect(looks).toHaveLength(1);
  lookout.wakeAfter(10);
  lookout.stop();
  lookout.wake();
  lookout.wakeAfter(10);
  await clock.advance(100_000);
  expect(looks).toHaveLength(1);
});
