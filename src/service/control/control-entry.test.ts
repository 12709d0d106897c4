// A turn of a control waits while its plan is stored: what happens meanwhile is neither lost nor undone.
import { expect, test } from "vitest";
import {
  type ControlState,
  NEVER_WRITTEN,
  startedAnew,
  writeEnded,
  writtenByOthers,
} from "#core/control/control-writer.ts";
import { beginTurn, changeState, endTurn, newEntry } from "./control-entry.ts";

const WRITING: ControlState = {
  ...NEVER_WRITTEN,
  ...{ isHeld: true, sent: 1000, sentAt: 5, changedAt: 5, follow: "settling" },
  writing: { kind: "value", value: 1000, withPrepare: false },
};

test("a write that ends while a turn is stored has ended, and what the turn found is kept", () => {
  const entry = newEntry("d", "power", WRITING);
  const planned: ControlState = { ...beginTurn(entry), follow: "followed" };
  changeState(entry, (state) => writeEnded(state, true));
  endTurn(entry, planned);
  expect(entry.state).toEqual({ ...WRITING, writing: undefined, isPrepared: true, follow: "followed" });
  expect(entry.isDirty).toBe(true);
  endTurn(entry, beginTurn(entry));
  expect(entry.isDirty).toBe(false);
});

test("what somebody else told the device while a turn is stored counts, and so does a return of the device", () => {
  const entry = newEntry("d", "power", { ...WRITING, writing: undefined });
  const planned = beginTurn(entry);
  changeState(entry, (state) => writtenByOthers(state, 3000, 9));
  changeState(entry, startedAnew);
  endTurn(entry, planned);
  expect(entry.state).toMatchObject({ sent: 3000, sentAt: 9, failures: 1 });
});

test("a turn that could not be stored changes nothing, and loses nothing", () => {
  const entry = newEntry("d", "power", WRITING);
  beginTurn(entry);
  changeState(entry, (state) => writeEnded(state, true));
  expect(beginTurn(entry).writing).toBeUndefined();
  expect(entry.isDirty).toBe(true);
});
