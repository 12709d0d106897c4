import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import {
  type Execution,
  isCancelled,
  isFinal,
  type Micros,
  type ResponseState,
  withCancel,
  withResponse,
  withTimeout,
} from "./execution.ts";

const NEW: Execution = {
  id: "e",
  deviceId: "d",
  siteId: "s",
  state: "NEW",
  ephemeral: false,
  createdAt: instant(1_000),
  request: { name: "run", manifestName: "run", arguments: {} },
  response: undefined,
  readLevel: "user",
  deadline: instant(31_000),
  revision: 1,
  isRemote: false,
};
const EVENTS: Readonly<Record<string, ResponseState>> = {
  s: "STARTED",
  i: "IN_PROGRESS",
  ok: "SUCCEEDED",
  err: "ERROR",
};

/** `s i ok` are responses in order, `t` is the timeout; `(i)` marks one that must be dropped. */
function play(script: string): Execution {
  let execution = NEW;
  for (const [step, word] of script.split(" ").entries()) {
    const name = word.replaceAll(/[()]/g, "");
    const state = EVENTS[name];
    const next =
      state === undefined
        ? withTimeout(execution)
        : withResponse(execution, { state, payload: undefined, at: (step * 1000) as Micros, patienceMs: 30_000 });
    expect(next === undefined, `${word} of ${script}`).toBe(word.startsWith("("));
    execution = next ?? execution;
  }
  return execution;
}

test.each([
  ["s", "IN_PROGRESS"],
  ["i", "IN_PROGRESS"],
  ["ok", "SUCCESS"],
  ["err", "ERROR"],
  ["t", "TIMEOUT"],
  ["s i i ok", "SUCCESS"],
  ["s i err", "ERROR"],
  ["s t", "TIMEOUT"],
  ["s t ok", "SUCCESS"],
  ["s t err", "ERROR"],
  ["s t (i) (s) ok", "SUCCESS"],
  ["s ok (ok) (err) (i) (s) (t)", "SUCCESS"],
  ["s err (ok) (err) (i) (s) (t)", "ERROR"],
  ["t ok (t)", "SUCCESS"],
  ["i s ok", "SUCCESS"],
])("%s ends as %s", (script, state) => {
  expect(play(script).state).toBe(state);
});

test("the time of a response rises even when the clock stands or goes back", () => {
  const at = (us: number, execution: Execution) =>
    withResponse(execution, { state: "IN_PROGRESS", payload: undefined, at: us as Micros, patienceMs: 1 }) ?? execution;
  let execution = NEW;
  const times = [5_000, 5_000, 3_000, 6_000].map((us) => {
    execution = at(us, execution);
    return execution.response?.receivedAt;
  });
  expect(times).toEqual([5_000, 5_001, 5_002, 6_000]);
  expect(at(1, NEW).response?.receivedAt).toBe(1);
});

test("every change raises the revision, and what is dropped does not", () => {
  expect(["s", "s i ok", "s t", "s t (i) ok (ok) (t)"].map((script) => play(script).revision)).toEqual([2, 4, 3, 4]);
});

test("every response moves the deadline", () => {
  const next = withResponse(NEW, {
    state: "IN_PROGRESS",
    payload: undefined,
    at: 20_000_000 as Micros,
    patienceMs: 30_000,
  });
  expect(next?.deadline).toBe(50_000);
});

test("the deadline rises with every response, however the clock is set", () => {
  let execution = NEW;
  const deadlines = [20_000_000, 20_000_000, 5_000, 21_000_000].map((at) => {
    const arrival = { state: "IN_PROGRESS", payload: undefined, at: at as Micros, patienceMs: 30_000 } as const;
    execution = withResponse(execution, arrival) ?? execution;
    return execution.deadline;
  });
  expect(deadlines).toEqual([50_000, 50_001, 50_002, 51_000]);
});

test.each([
  [undefined, "the device reported an error without a message"],
  [{}, "the device reported an error without a message"],
  [{ message: "door open" }, "door open"],
  [{ message: { code: 7 } }, '{"code":7}'],
  [{ code: 7 }, '{"code":7}'],
  [{ reason: "low gas", code: 7 }, "low gas"],
  [{ error: "jammed" }, "jammed"],
  [{ reason: "low gas", error: "jammed" }, "low gas"],
  [{ message: "door open", reason: "low gas" }, "door open"],
  [{ message: null, error: "jammed" }, "jammed"],
  [{ error: { code: 7 } }, '{"error":{"code":7}}'],
  [{ reason: "", error: "" }, '{"reason":"","error":""}'],
])("an error with payload %j has the message %j", (payload, message) => {
  const arrival = { state: "ERROR", payload, at: 1 as Micros, patienceMs: 1 } as const;
  expect(withResponse(NEW, arrival)?.response?.payload?.["message"]).toBe(message);
});

test("a message that is made of a payload has 1,000 characters at most", () => {
  const arrival = { state: "ERROR", payload: { code: "x".repeat(5_000) }, at: 1 as Micros, patienceMs: 1 } as const;
  expect(withResponse(NEW, arrival)?.response?.payload?.["message"]).toHaveLength(1_000);
});

test.each(["STARTED", "IN_PROGRESS", "SUCCEEDED"] as const)("a payload of %s stays as it came", (state) => {
  const payload = { message: { code: 7 } };
  const after = withResponse(NEW, { state, payload, at: 1 as Micros, patienceMs: 1 });
  expect(after?.response?.payload).toBe(payload);
});

test("only SUCCESS and ERROR are final", () => {
  const states = ["NEW", "IN_PROGRESS", "SUCCESS", "ERROR", "TIMEOUT", "UNSYNC"] as const;
  expect(states.filter(isFinal)).toEqual(["SUCCESS", "ERROR"]);
});

test("only an execution that is new and was not attempted can be cancelled, and then it says so", () => {
  const at = 5_000_000 as Micros;
  const cancelled = withCancel(NEW, { attempted: false, at });
  expect(cancelled).toMatchObject({ state: "ERROR", revision: 2, response: { receivedAt: at } });
  expect(cancelled !== undefined && isCancelled(cancelled)).toBe(true);
  expect(withCancel(NEW, { attempted: true, at })).toBeUndefined();
  expect(withCancel(play("s"), { attempted: false, at })).toBeUndefined();
  expect(withCancel({ ...NEW, isRemote: true }, { attempted: false, at })).toBeUndefined();
});

test("an execution that failed, or that succeeded with the same word, was not cancelled", () => {
  expect(isCancelled(play("err"))).toBe(false);
  expect(isCancelled(NEW)).toBe(false);
  const payload = { code: "cancelled" };
  const succeeded = withResponse(NEW, { state: "SUCCEEDED", payload, at: 1 as Micros, patienceMs: 0 });
  expect(succeeded !== undefined && isCancelled(succeeded)).toBe(false);
});
