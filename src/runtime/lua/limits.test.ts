import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { findModule } from "#drivers/find-module.ts";
import { afterFailure, NO_BACK_OFF } from "./back-off.ts";
import { createJobList } from "./job-list.ts";
import { meterWasm } from "./meter-wasm.ts";
import { createSlice } from "./slice.ts";
import { createTokenBucket } from "./token-bucket.ts";

test("a device that keeps failing stays out longer each time, up to ten minutes", () => {
  const delays: number[] = [];
  let state = { ...NO_BACK_OFF, delayMs: 0 };
  for (let round = 0; round < 9; round += 1) {
    state = afterFailure(state, 1_000);
    delays.push(state.delayMs / 1000);
  }
  expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
});

test("a device that ran well for ten minutes begins with a short time out", () => {
  expect(afterFailure({ strikes: 7 }, 600_000)).toEqual({ strikes: 1, delayMs: 5_000 });
});

test.each([
  ["a tick in time keeps its phase", 1_000, 2_000],
  ["a late tick keeps its phase", 1_400, 2_000],
  ["ticks that were missed are left out", 3_500, 4_000],
  ["a tick as late as a period is not run twice", 2_000, 3_000],
])("%s", (_, now, next) => {
  const jobs = createJobList();
  jobs.add(1_000, 0);
  expect(jobs.takeDue(now)).toBe(1);
  expect(jobs.nextDue()).toBe(next);
  expect(jobs.takeDue(now)).toBeUndefined();
});

test("the job that has waited longest is first", () => {
  const jobs = createJobList();
  jobs.add(500, 0);
  jobs.add(300, 0);
  expect([jobs.takeDue(600), jobs.takeDue(600)]).toEqual([2, 1]);
});

test("a bucket lets a burst through and then its rate", () => {
  const bucket = createTokenBucket(2, 3);
  const taken = [0, 0, 0, 0, 400, 500, 600, 10_000].map((now) => bucket.take(now));
  expect(taken).toEqual([true, true, true, false, false, true, false, true]);
});

test("by the clock a slice stops in time, and gives up only who also worked", () => {
  let now = 0;
  const slice = createSlice(() => now);
  slice.begin(5);
  expect(slice.judge(10_000)).toBe("on");
  now = 6;
  expect(slice.judge(10_000)).toBe("stop");
  now = 1_000;
  expect(slice.judge(10_000)).toBe("stop");
  expect(slice.judge(1_000_000)).toBe("error");
  expect(slice.judge(12_000_000)).toBe("give up");
});

test("without a clock fuel stands for time", () => {
  const slice = createSlice(undefined);
  slice.begin(5);
  expect(slice.judge(249_999)).toBe("on");
  expect(slice.judge(1)).toBe("stop");
  expect(slice.used()).toBe(5);
});

test("a module never climbs out of its package", () => {
  const modules = new Map([["main.lua", ""]]);
  const program = { entry: "main.lua", modules, nodebug: false };
  expect(findModule(program, "../main", "lib/")).toEqual({ path: "main.lua" });
  expect(findModule(program, "../../main", "lib/")).toHaveProperty("tried");
});

test("the metered module is valid and only grew", () => {
  const file = createRequire(import.meta.url)
    .resolve("wasmoon")
    .replace(/index\.js$/, "glue.wasm");
  const bytes = readFileSync(file);
  const metered = meterWasm(bytes);
  expect(metered.length).toBeGreaterThan(bytes.length);
  expect(new WebAssembly.Module(metered)).toBeDefined();
  expect(() => meterWasm(bytes.subarray(0, 1000))).toThrow();
});
