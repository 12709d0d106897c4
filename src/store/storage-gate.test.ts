import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { createStorageGate, type GateState } from "./storage-gate.ts";

function setUp() {
  const folder = tempFolder();
  const files = ["records.db", "records.db-wal"].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, "");
  const disk = { free: 1e9, slices: 2 };
  const states: GateState[] = [];
  const reserve = {
    free: () => disk.free,
    release: () => disk.slices-- > 0,
    grow: async () => {
      if (disk.free < 1e8) return "no room";
      disk.slices = Math.max(0, disk.slices) + 1;
      return disk.slices > 2 ? "whole" : "grown";
    },
    takeRest: async () => {},
  } as const;
  const gate = createStorageGate({ reserve, files, onState: (state) => states.push(state) });
  return { gate, disk, files, states };
}

const FULL = refuse("storage_full", "full");

test("on a full disk only what may use the reserve goes on, until the reserve is whole again", async () => {
  const { gate, disk, states } = setUp();
  disk.free = 0;
  expect([gate.noteFailure(FULL), gate.noteFailure(FULL), gate.noteFailure(FULL)]).toEqual([true, true, false]);
  expect([gate.refusal(true), gate.refusal(false)?.code]).toEqual([undefined, "storage_full"]);
  await gate.look();
  disk.free = 1e7;
  await gate.look();
  expect(states).toEqual(["full"]);
  disk.free = 1e9;
  await gate.look();
  expect([states, gate.refusal(false)]).toEqual([["full", "well"], undefined]);
});

test("another failure is none of its business", () => {
  const { gate, states } = setUp();
  expect(gate.noteFailure(new Error("a bug"))).toBe(false);
  expect(states).toEqual([]);
});

test.each([0, 1])("a file that was deleted or replaced stops every write until it is back", async (which) => {
  const { gate, files, states } = setUp();
  const file = files[which] ?? "";
  await gate.look();
  renameSync(file, `${file}.aside`);
  await gate.look();
  expect([gate.refusal(true)?.code, gate.refusal(false)?.code]).toEqual(["storage_unavailable", "storage_unavailable"]);
  writeFileSync(file, "another");
  await gate.look();
  rmSync(file);
  renameSync(`${file}.aside`, file);
  expect(states).toEqual(["moved"]);
  await gate.look();
  expect([states, gate.refusal(true)]).toEqual([["moved", "well"], undefined]);
});
