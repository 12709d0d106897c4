import { expect, onTestFinished, test, vi } from "vitest";
import { refuse } from "#core/app-error.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import { createBackground } from "#service/background.ts";
import { createFakeInbox } from "../../../test/support/fake-inbox.ts";
import { PATIENT } from "../../../test/support/patient.ts";
import { makeDevice } from "../../../test/support/records.ts";
import { createLuaHost, type LuaHostNeeds } from "./lua-host.ts";

const device = { ...makeDevice("s", { id: "d", type: "LUA", blueprintId: "b" }), slug: "d" };

function hostWith(changed: Partial<LuaHostNeeds>) {
  const faults: string[] = [];
  const program = { entry: "main.lua", modules: new Map([["main.lua", ""]]), nodebug: false };
  const lua = createLuaHost({
    inbox: createFakeInbox([]),
    scripts: { get: async () => new Map() } as never,
    background: createBackground((_, error) => faults.push(String(error))),
    after: () => () => {},
    budgets: createByteBudgets(),
    devices: { find: async () => device } as never,
    blueprints: { content: async () => new Uint8Array(1) } as never,
    buildScripts: async () => ({ program, issues: [] }),
    randomBytes: (length) => new Uint8Array(length),
    now: () => instant(Date.now()),
    blueprintOf: async () => undefined,
    alerts: { active: async () => [] },
    configurationOf: async () => new Map(),
    registerChild: async () => device,
    onStatus() {},
    responseTimeoutMs: 30_000,
    silenceMs: 30_000,
    ...changed,
  });
  onTestFinished(() => lua.stop());
  return { host: lua.host, faults };
}

test("a device whose configuration cannot be read says so, keeps the service's own words for its log, and starts when it can", async () => {
  let isWell = false;
  const { host, faults } = hostWith({
    configurationOf: async () => {
      if (!isWell) throw new Error("disk I/O error in /srv/records.db");
      return new Map();
    },
  });
  await host.start(device);
  expect(host.status("d")).toMatchObject({
    state: "FAILED",
    restartAt: expect.any(Number),
    lastError: { message: "its configuration or storage could not be read; the service's log says why" },
  });
  await vi.waitFor(() => expect(faults).toEqual(["Error: disk I/O error in /srv/records.db"]), PATIENT);
  isWell = true;
  await host.restart("d");
  await vi.waitFor(() => expect(host.status("d")?.state).toBe("RUNNING"), PATIENT);
});

test.each([
  [new Error("disk I/O error in /srv/records.db"), "the blueprint could not be read; the service's log says why", 1],
  [refuse("invalid_blueprint", "lua/main.lua:1: no rock inspect"), "lua/main.lua:1: no rock inspect", 0],
])("of a blueprint that cannot be put together (%s) the device says: %s", async (error, message, faultCount) => {
  const { host, faults } = hostWith({ buildScripts: () => Promise.reject(error) });
  await host.start(device);
  expect(host.status("d")).toMatchObject({ state: "FAILED", lastError: { message } });
  await vi.waitFor(() => expect(faults).toHaveLength(faultCount), PATIENT);
});
