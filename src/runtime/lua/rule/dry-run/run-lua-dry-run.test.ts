// The thread of a dry run. What scripts see of the past is tried without it, in simulate-script.test.ts.
import { expect, test, vi } from "vitest";
import { instant } from "#core/time/instant.ts";
import { PATIENT } from "../../../../../test/support/patient.ts";
import { createLuaDryRun } from "./run-lua-dry-run.ts";

const SOMEBODY = new AbortController().signal;
const FROM = Date.parse("2026-06-01T00:00:00Z");

/** A site that nobody knows anything of. */
const needs = { sites: { find: async () => undefined } } as unknown as Parameters<typeof createLuaDryRun>[0];

const given = (text: string) => ({
  rule: {
    ...{
      id: "r",
      siteId: "s",
      slug: "rule",
      disabled: false,
      revision: 1,
      createdAt: instant(0),
      updatedAt: instant(0),
    },
    script: { code: Buffer.from(text).toString("base64"), runtimeVersion: "V3" as const, execInterval: undefined },
  },
  ...{ timezone: "UTC", from: FROM, to: FROM + 3_600_000, variables: new Map([["limit", 5]]) },
});

test("a script runs in a thread of its own, and what the gateway cannot answer ends it with a problem", async () => {
  const dryRun = createLuaDryRun(needs);
  const { effects, problems } = await dryRun.run(
    given("schedule('30m', function() variables.set('n', variables.get('limit')) end)"),
    SOMEBODY,
  );
  expect([effects, problems]).toEqual([
    [{ at: FROM + 1_800_000, effect: expect.objectContaining({ kind: "set", value: 5 }) }],
    [],
  ]);
  const broken = await dryRun.run(given("enapter.device('x')"), SOMEBODY);
  expect(broken.problems).toHaveLength(1);
});

test("a script that never ends has an end, and so have those that ask at the same time", async () => {
  const dryRun = createLuaDryRun(needs, { wallMs: 500, steps: 1_000, most: 1 });
  const long = dryRun.run(given("while true do pcall(string.rep, 'x', 1000) end"), SOMEBODY);
  await expect(
    (async () => {
      for (let n = 0; n < 3; n++) await dryRun.run(given("return 1"), SOMEBODY);
    })(),
  ).rejects.toMatchObject({ code: "overloaded" });
  expect((await long).problems.join()).toMatch(/ended early|computed for more than/);
});

test("it ends with the caller, and makes room for the next one", async () => {
  const dryRun = createLuaDryRun(needs, { wallMs: 600_000, steps: 1_000, most: 1 });
  const caller = new AbortController();
  const long = dryRun.run(given("while true do pcall(string.rep, 'x', 1000) end"), caller.signal);
  const isFull = () =>
    dryRun.run(given("return 1"), SOMEBODY).then(
      () => false,
      () => true,
    );
  await vi.waitFor(async () => expect(await isFull()).toBe(true), PATIENT);
  caller.abort(new Error("gone"));
  await expect(long).rejects.toThrow("gone");
  expect(await isFull()).toBe(false);
});
