import { expect, test } from "vitest";
import { makeExecution } from "../../../test/support/executions.ts";
import {
  EXECUTION_STATES,
  type Execution,
  type ExecutionState,
  type Micros,
  withResponse,
  withTimeout,
} from "./execution.ts";
import { type ExecutionChange, givenToOwner, mergeRemote, returnedByOwner, withoutSight } from "./remote-execution.ts";

const HERE = makeExecution({ siteId: "s", deviceId: "d" });
const copy = (state: ExecutionState, revision: number): Execution => ({ ...HERE, state, revision, isRemote: true });
const own = (state: ExecutionState, revision = 1): Execution => ({ ...HERE, state, revision });

/** `SUCCESS 4 after 3`: the owner is at revision 4, and its earlier response was stored by revision 3. */
function reported(text: string): ExecutionChange {
  const [, state, revision, since = 0] = /^(\w+) (\d+)(?: after (\d+))?$/.exec(text) ?? [];
  const execution = { ...HERE, state: state as ExecutionState, revision: Number(revision), isRemote: false };
  return { execution, responses: [], since: Number(since), leftOut: undefined };
}

test.each([
  // Accepted: the first word of the owner counts, whatever was counted here.
  [own("NEW"), "NEW 2", "applied NEW 2"],
  [own("IN_PROGRESS", 2), "NEW 2", "applied NEW 2"],
  [own("TIMEOUT", 2), "NEW 2", "applied NEW 2"],
  [own("TIMEOUT", 2), "SUCCESS 4", "applied SUCCESS 4"],
  [own("NEW"), "IN_PROGRESS 4 after 3", "gap UNSYNC 0"],
  [own("TIMEOUT", 9), "IN_PROGRESS 4 after 3", "gap UNSYNC 0"],
  // What has ended here was never accepted elsewhere, or is known.
  [own("ERROR", 2), "SUCCESS 4", "known"],
  [copy("SUCCESS", 4), "ERROR 5", "known"],
  // By revision, in whatever order.
  [copy("NEW", 2), "IN_PROGRESS 3", "applied IN_PROGRESS 3"],
  [copy("IN_PROGRESS", 3), "SUCCESS 5 after 3", "applied SUCCESS 5"],
  [copy("IN_PROGRESS", 3), "IN_PROGRESS 3", "known"],
  [copy("IN_PROGRESS", 3), "NEW 2", "known"],
  [copy("TIMEOUT", 4), "SUCCESS 5 after 3", "applied SUCCESS 5"],
  [copy("IN_PROGRESS", 3), "TIMEOUT 4 after 3", "applied TIMEOUT 4"],
  // Responses are missing between.
  [copy("IN_PROGRESS", 3), "SUCCESS 6 after 5", "gap UNSYNC 3"],
  [copy("UNSYNC", 3), "SUCCESS 7 after 6", "gap UNSYNC 3"],
  // UNSYNC resolves to what the owner knows, also where that is no news.
  [copy("UNSYNC", 3), "SUCCESS 6 after 3", "applied SUCCESS 6"],
  [copy("UNSYNC", 3), "IN_PROGRESS 3", "applied IN_PROGRESS 3"],
  [copy("UNSYNC", 3), "NEW 2", "known"],
  [copy("UNSYNC", 0), "TIMEOUT 2", "applied TIMEOUT 2"],
  // Made by the owner, never seen here.
  [undefined, "NEW 1", "applied NEW 1"],
  [undefined, "SUCCESS 3", "applied SUCCESS 3"],
  [undefined, "SUCCESS 3 after 2", "gap UNSYNC 0"],
] as const)("%#: the owner reports %s", (before, change, expected) => {
  const merge = mergeRemote(before, reported(change));
  if (merge.kind === "known") return expect(merge.kind).toBe(expected);
  const { state, revision, isRemote } = merge.execution;
  expect([`${merge.kind} ${state} ${revision}`, isRemote]).toEqual([expected, true]);
});

test("a change that is reported again changes nothing", () => {
  for (const state of EXECUTION_STATES.filter((one) => one !== "UNSYNC")) {
    const merge = mergeRemote(own("NEW"), reported(`${state} 3`));
    if (merge.kind === "known") throw new Error("it is new");
    expect(mergeRemote(merge.execution, reported(`${state} 3`))).toEqual({ kind: "known" });
  }
});

test("who asked for what and when stays as it was stored here", () => {
  const { execution } = reported("NEW 2");
  const merge = mergeRemote(own("NEW"), {
    ...reported("NEW 2"),
    execution: { ...execution, siteId: "x", readLevel: "system" },
  });
  expect(merge).toMatchObject({ execution: { siteId: HERE.siteId, readLevel: HERE.readLevel } });
});

test.each(EXECUTION_STATES)("a copy in state %s takes no response and no timeout from this side", (state) => {
  const arrival = { state: "SUCCEEDED", payload: undefined, at: 1 as Micros, patienceMs: 1 } as const;
  expect([withTimeout(copy(state, 2)), withResponse(copy(state, 2), arrival)]).toEqual([undefined, undefined]);
});

test("only an open execution of another side is out of sight, and keeps its revision", () => {
  const lost = EXECUTION_STATES.filter((state) => withoutSight(copy(state, 2), false) !== undefined);
  expect(lost).toEqual(["NEW", "IN_PROGRESS"]);
  expect(withoutSight(copy("NEW", 2), false)).toEqual(copy("UNSYNC", 2));
  for (const state of EXECUTION_STATES) expect(withoutSight(own(state), false)).toBeUndefined();
});

test.each([
  [own("NEW"), "NEW 0", "UNSYNC 0"],
  [own("IN_PROGRESS", 2), "IN_PROGRESS 0", "UNSYNC 0"],
  [own("SUCCESS", 2), undefined, undefined],
  [own("TIMEOUT", 2), undefined, undefined],
  [copy("NEW", 2), undefined, undefined],
])("given to an owner, %o is %s when it answered, and %s otherwise", (execution, answered, unanswered) => {
  const shown = (one: Execution | undefined) => one && `${one.state} ${one.revision}`;
  const given = [true, false].map((isAnswered) => givenToOwner(execution, isAnswered));
  expect(given.map(shown)).toEqual([answered, unanswered]);
  expect(given.every((one) => one === undefined || one.isRemote)).toBe(true);
});

test("what the other side never accepted is ours again, and new", () => {
  expect(returnedByOwner(copy("UNSYNC", 0))).toEqual(own("NEW", 1));
  expect(returnedByOwner(copy("IN_PROGRESS", 1))).toBeUndefined();
  expect(returnedByOwner(own("NEW", 0))).toBeUndefined();
});
