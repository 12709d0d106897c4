import { expect, test } from "vitest";
import type { ResponseMessage } from "#core/device/device-message.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createBackground } from "#service/background.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";
import { createScriptOutput } from "./script-output.ts";

test("what scripts say while nothing can be stored is bounded, of one device and of all", async () => {
  const stored = Promise.withResolvers<void>();
  const failures: string[] = [];
  const background = createBackground((_name, error) => failures.push(String(error)));
  const budgets = createByteBudgets();
  let taken = 0;
  const inbox = {
    log: async () => {
      taken++;
      await stored.promise;
    },
  } as unknown as DeviceInbox;
  const output = createScriptOutput({ inbox, background, budgets, after: () => () => {}, scripts: {} as never });
  const line = { text: "x".repeat(500_000), severity: "info", persist: false, at: 0 } as const;
  const [buffer] = budgets.list();
  for (let n = 0; n < 5; n++) output.log("d1", line);
  expect(taken).toBe(4);
  for (let device = 2; device < 50; device++) output.log(`d${device}`, line);
  expect(buffer?.used()).toBeGreaterThan(15_000_000);
  expect(buffer?.used()).toBeLessThanOrEqual(buffer?.limit ?? 0);
  stored.resolve();
  await background.idle();
  expect([buffer?.used(), failures.length + taken]).toEqual([0, 53]);
  expect(failures[0]).toContain("too much waits to be stored");
});

test("an outcome that finds no room is kept without its payload", async () => {
  const stored = Promise.withResolvers<void>();
  const background = createBackground(() => {});
  const budgets = createByteBudgets();
  const responses: (string | number)[][] = [];
  const inbox = {
    response: async (_deviceId: string, { state, payload }: ResponseMessage) => {
      responses.push([state, JSON.stringify(payload).length]);
      await stored.promise;
    },
  } as unknown as DeviceInbox;
  const output = createScriptOutput({ inbox, background, budgets, after: () => () => {}, scripts: {} as never });
  const buffer = budgets.list().find(({ name }) => name === "script_responses");
  for (const commandId of ["1", "2", "3"]) {
    output.respond("d1", { commandId, state: "SUCCEEDED", payload: { text: "x".repeat(900_000) } });
  }
  await expect.poll(() => responses).toHaveLength(3);
  expect(responses.map(([state]) => state)).toEqual(["SUCCEEDED", "SUCCEEDED", "SUCCEEDED"]);
  expect(responses.map(([, size]) => Number(size) > 1_000)).toEqual([true, true, false]);
  expect(buffer?.used()).toBeGreaterThan(1_800_000);
  stored.resolve();
  await background.idle();
  expect(buffer?.used()).toBe(0);
});
