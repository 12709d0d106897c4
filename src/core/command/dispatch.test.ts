import { describe, expect, test } from "vitest";
import { afterAccept, afterChange, afterEvent, afterMessage, afterReturn, type Here, timeLeft } from "./dispatch.ts";
import { EXECUTION_STATES, type ExecutionState } from "./execution.ts";

const HERE: Here = { isReady: () => false, isShared: false, isAwaited: false };
const READY = { ...HERE, isReady: () => true };
const SHARED = { ...HERE, isShared: true };
const own = (state: ExecutionState) => ({ state, isRemote: false });
const remote = (state: ExecutionState) => ({ state, isRemote: true });

/** Every combination of what a node may know. */
const EVERYWHERE = [false, true].flatMap((isReady) =>
  [false, true].flatMap((isShared) =>
    [false, true].map((isAwaited): Here => ({ isReady: () => isReady, isShared, isAwaited })),
  ),
);
/** Every execution that can be. */
const EVERY = EXECUTION_STATES.flatMap((state) => [own(state), remote(state)]);

describe("an execution that was just stored", () => {
  test("goes to a device that is there", () => {
    expect(afterAccept(false, READY)).toEqual(["watch", "hand over"]);
  });
  test("waits for a device that is away", () => {
    expect(afterAccept(false, HERE)).toEqual(["watch"]);
  });
  test("is offered to the other nodes when the device is not here", () => {
    expect(afterAccept(false, SHARED)).toEqual(["watch", "offer"]);
  });
  test("whose attempt is marked is handed over by nobody else", () => {
    expect(afterAccept(true, SHARED)).toEqual(["watch", "hand over"]);
  });
});

describe("a change that this node has stored", () => {
  test.each(["NEW", "IN_PROGRESS"] as const)("leaves one that is %s watched", (state) => {
    expect(afterChange(own(state), READY)).toEqual(["watch"]);
  });
  test.each(["NEW", "IN_PROGRESS"] as const)("leaves one that is %s elsewhere to its owner", (state) => {
    expect(afterChange(remote(state), READY)).toEqual(["close"]);
  });
  test("has the owner asked while it can be asked", () => {
    expect(afterChange(remote("UNSYNC"), READY)).toEqual(["close", "ask owner"]);
    expect(afterChange(remote("UNSYNC"), HERE)).toEqual(["close"]);
  });
  test.each(["SUCCESS", "ERROR", "TIMEOUT"] as const)("sends the end %s to nodes where somebody may wait", (state) => {
    expect(afterChange(own(state), HERE)).toEqual(["close", "report end"]);
    expect(afterChange(own(state), SHARED)).toEqual(["close", "send end", "report end"]);
    expect(afterChange(own(state), { ...SHARED, isAwaited: true })).toEqual(["close", "report end"]);
  });
});

describe("the event of a change", () => {
  test("closes what has ended, and takes what is new", () => {
    expect(afterEvent(own("SUCCESS"), READY)).toEqual(["close"]);
    expect(afterEvent(own("NEW"), HERE)).toEqual(["take"]);
    expect(afterEvent(own("IN_PROGRESS"), READY)).toEqual([]);
  });
  test("has the owner asked while it can be asked", () => {
    expect(afterEvent(remote("UNSYNC"), READY)).toEqual(["ask owner"]);
    expect(afterEvent(remote("UNSYNC"), HERE)).toEqual([]);
  });
});

describe("a message of another node", () => {
  test("about one that waits concerns the node that has the device", () => {
    expect(afterMessage("waits", READY)).toEqual(["take"]);
    expect(afterMessage("waits", HERE)).toEqual([]);
  });
  test("about an end concerns the node where a caller waits", () => {
    expect(afterMessage("ended", { ...HERE, isAwaited: true })).toEqual(["look up"]);
    expect(afterMessage("ended", READY)).toEqual([]);
  });
});

test("one that its owner never accepted is handed over again if its device is there", () => {
  expect(afterReturn(READY)).toEqual(["watch", "hand over"]);
  expect(afterReturn(HERE)).toEqual(["watch"]);
});

test("whatever a node knows: what has ended is never watched, and its end is reported once by the node that stored it", () => {
  for (const here of EVERYWHERE) {
    for (const execution of EVERY) {
      const steps = afterChange(execution, here);
      const isOver = ["SUCCESS", "ERROR", "TIMEOUT"].includes(execution.state);
      expect(steps.includes("watch") && (isOver || execution.isRemote)).toBe(false);
      expect(steps.includes("watch")).toBe(!steps.includes("close"));
      expect(steps.filter((step) => step === "report end")).toHaveLength(isOver ? 1 : 0);
      expect(afterEvent(execution, here)).not.toContain("report end");
    }
  }
});

test("whatever a node knows: what is handed over or offered is watched, and not both", () => {
  for (const here of EVERYWHERE) {
    for (const attempted of [false, true]) {
      const steps = afterAccept(attempted, here);
      expect(steps[0]).toBe("watch");
      expect(steps.includes("hand over") && steps.includes("offer")).toBe(false);
    }
  }
});

test.each([
  [10_000, 4_000, 6_000],
  [10_000, 12_000, 0],
  [90_000, 1_000, 30_000],
])("with the deadline %d at %d there are %d ms left of 30 s", (deadline, now, left) => {
  expect(timeLeft(deadline, now, 30_000)).toBe(left);
});
