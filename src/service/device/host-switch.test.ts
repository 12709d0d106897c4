import { expect, test } from "vitest";
import type { Device, DeviceType } from "#core/device/device.ts";
import { instant } from "#core/time/instant.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import { hostAllDevices, hostDevice } from "./host-device.ts";
import { createHostSwitch } from "./host-switch.ts";

function host(type: DeviceType, told: string[]): DeviceHost {
  const running = new Set<string>();
  return {
    hosts: (asked) => asked === type,
    start: async ({ id }) => {
      told.push(`${type} start ${id}`);
      running.add(id);
    },
    stop: async (id) => {
      if (running.delete(id)) told.push(`${type} stop ${id}`);
    },
    restart: async (id) => {
      if (running.has(id)) told.push(`${type} restart ${id}`);
    },
    states: () => [...running].map(() => "RUNNING"),
    status: (id) =>
      running.has(id)
        ? {
            state: "RUNNING",
            since: instant(0),
            startCount: 1,
            lastError: undefined,
            restartAt: undefined,
            memoryBytes: undefined,
          }
        : undefined,
  };
}

function device(id: string, type: DeviceType): Device {
  const at = instant(0);
  const none = { blueprintId: undefined, parentId: undefined, childType: undefined };
  return { id, siteId: "s", name: id, slug: id, type, createdAt: at, updatedAt: at, ...none };
}

function switchOf(told: string[]) {
  const hosts = createHostSwitch();
  hosts.add(host("LUA", told));
  hosts.add(host("NATIVE", told));
  return hosts;
}

test("a device is run by the host of its type, and one that connects by itself by none", async () => {
  const told: string[] = [];
  const hosts = switchOf(told);
  for (const one of [device("a", "LUA"), device("b", "NATIVE"), device("c", "STANDALONE")]) await hosts.start(one);
  for (const id of ["a", "b", "c"]) await hosts.restart(id);
  expect(hosts.states()).toEqual(["RUNNING", "RUNNING"]);
  expect(["a", "b", "c"].map((id) => hosts.status(id)?.state)).toEqual(["RUNNING", "RUNNING", undefined]);
  for (const id of ["a", "b", "c"]) await hosts.stop(id);
  expect(told).toEqual([
    "LUA start a",
    "NATIVE start b",
    "LUA restart a",
    "NATIVE restart b",
    "LUA stop a",
    "NATIVE stop b",
  ]);
  expect(hosts.status("a")).toBeUndefined();
});

test("all devices that run in the process are started, however many there are", async () => {
  const told: string[] = [];
  const all = Array.from({ length: 1203 }, (_, n) => device(`d${n}`, n % 3 === 0 ? "STANDALONE" : "LUA"));
  const list = async (
    { types = [] }: { readonly types?: readonly string[] },
    page: { readonly limit: number; readonly offset: number },
  ) => {
    const matching = all.filter(({ type }) => types.includes(type));
    return { items: matching.slice(page.offset, page.offset + page.limit), total: matching.length };
  };
  await hostAllDevices(needsOf(switchOf(told), { list }));
  expect(told).toEqual(all.filter(({ type }) => type === "LUA").map(({ id }) => `LUA start ${id}`));
});

test("a device that is deleted while it is handed over does not stay", async () => {
  const told: string[] = [];
  const found = [device("a", "LUA"), undefined];
  await hostDevice(needsOf(switchOf(told), { find: async () => found.shift() }), "a");
  expect(told).toEqual(["LUA start a", "LUA stop a"]);
});

function needsOf(hosts: DeviceHost, devices: object): Parameters<typeof hostDevice>[0] {
  return { hosts, devices: devices as Parameters<typeof hostDevice>[0]["devices"] };
}
