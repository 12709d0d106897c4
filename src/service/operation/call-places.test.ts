import { expect, test } from "vitest";
import type { Caller } from "#core/access/caller.ts";
import { AppError } from "#core/app-error.ts";
import { createShares } from "#core/share/shares.ts";
import { callRefusal, openCallPlaces } from "./call-places.ts";

const LIMITS = { slots: 5, perToken: 2, perAddress: 3 };

function open() {
  const take = openCallPlaces(createShares(), { name: "calls", refusal: callRefusal("calls") }, LIMITS);
  /** `t1@a`: token t1 from address a; `@a`: without a token. Gives the code of the refusal, or the function that leaves. */
  return (who: string) => {
    const [tokenId = "", remoteAddress = ""] = who.split("@");
    try {
      return take({ caller: { tokenId } as Caller, remoteAddress });
    } catch (error) {
      return error instanceof AppError ? `${error.refusals[0].code} ${error.retryAfter}` : error;
    }
  };
}

const inside = expect.any(Function);

test.each([
  ["t1@a t1@b t1@c t2@c", [inside, inside, "too_many_calls 1", inside]],
  ["t1@a t2@a t3@a t4@a t4@b", [inside, inside, inside, "too_many_calls 1", inside]],
  ["@a @a @a @b", [inside, inside, "too_many_calls 1", inside]],
  ["t1@a t1@a t2@b t2@b t3@c t4@d", [inside, inside, inside, inside, inside, "overloaded 1"]],
])("of %s get in or are refused: %j", (callers, expected) => {
  expect(callers.split(" ").map(open())).toEqual(expected);
});

test("who leaves makes room once, and a refused call holds nothing", () => {
  const enter = open();
  const leave = enter("t1@a") as () => void;
  enter("t2@a");
  enter("t3@a");
  expect([enter("t4@a"), enter("t4@a")]).toEqual(["too_many_calls 1", "too_many_calls 1"]);
  leave();
  leave();
  expect([enter("t4@a"), enter("t4@a")]).toEqual([inside, "too_many_calls 1"]);
});
