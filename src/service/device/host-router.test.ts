import { expect, test } from "vitest";
import { type Device, type DeviceType, UNSET_FIELDS } from "#core/device/device.ts";
import { instant } from "#core/time/instant.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import { hostDevice, hostedDevices } from "./host-device.ts";
import { createHostRouter, type HostRouter } from "./host-router.ts";

function host(type: DeviceType, done: string[]): DeviceHost {
  const running = new Set<string>();
  return {
    hosts: (asked) => asked === type,
    start: async ({ id }) => {
      done.push(`${type} start ${id}`);
      running.add(id);
    },
    stop: async (id) => {
      if (running.delete(id)) done.push(`${type} stop ${id}`);
    },
    restart: async (id) => {
      if (running.has(id)) done.push(`${type} restart ${id}`);
    },
    overruns: () => 0,
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
            overrun: undefined,
          }
        : undefined,
  };
}

function device(id: string, type: DeviceType): Device {
  const at = instant(0);
  return { ...UNSET_FIELDS, id, siteId: "s", name: id, slug: id, type, createdAt: at, updatedAt: at };
}

function switchOf(done: string[]) {
  const hosts = createHostRouter({ now: () => instant(7) });
  hosts.add(host("LUA", done));
  hosts.add(host("NATIVE", done));
  return hosts;
}

test("a device is run by the host of its type, and one that connects by itself by none", async () => {
  const done: string[] = [];
  const hosts = switchOf(done);
  for (const one of [device("a", "LUA"), device("b", "NATIVE"), device("c", "STANDALONE")]) await hosts.start(one);
  for (const id of ["a", "b", "c"]) await hosts.restart(id);
  expect(hosts.states()).toEqual(["RUNNING", "RUNNING"]);
  expect(["a", "b", "c"].map((id) => hosts.status(id)?.state)).toEqual(["RUNNING", "RUNNING", undefined]);
  for (const id of ["a", "b", "c"]) await hosts.stop(id);
  expect(done).toEqual([
    "LUA start a",
    "NATIVE start b",
    "LUA restart a",
    "NATIVE restart b",
    "LUA stop a",
    "NATIVE stop b",
  ]);
  expect(hosts.status("a")).toBeUndefined();
});

test("all devices that run in the process are found, however many there are", async () => {
  const all = Array.from({ length: 1203 }, (_, n) => device(`d${n}`, n % 3 === 0 ? "STANDALONE" : "LUA"));
  const list = async (
    { types = [] }: { readonly types?: readonly string[] },
    page: { readonly limit: number; readonly offset: number },
  ) => {
    const matching = all.filter(({ type }) => types.includes(type));
    return { items: matching.slice(page.offset, page.offset + page.limit), total: matching.length };
  };
  const gateways = { ownerOf: async () => undefined };
  const found = await hostedDevices({ ...needsOf(switchOf([]), { list }), gateways });
  expect(found).toEqual(all.filter(({ type }) => type === "LUA"));
});

test("a device whose site belongs to a gateway runs there, not here", async () => {
  const list = async () => ({ items: [device("a", "LUA")], total: 1 });
  const gateways = { ownerOf: async () => "g1" };
  expect(await hostedDevices({ ...needsOf(switchOf([]), { list }), gateways })).toEqual([]);
});

const never = new AbortController().signal;
const lua = (...ids: readonly string[]) => ids.map((id) => device(id, "LUA"));

test("devices are started in turn, and count as STARTING until then", async () => {
  const done: string[] = [];
  const hosts = switchOf(done);
  const starting = hosts.startAll(lua("a", "b", "c"), never);
  expect([done, hosts.waiting(), hosts.states()]).toEqual([["LUA start a"], 2, ["STARTING", "STARTING", "RUNNING"]]);
  expect(hosts.status("c")).toMatchObject({ state: "STARTING", since: 7, startCount: 0 });
  await starting;
  expect([done, hosts.waiting()]).toEqual([["LUA start a", "LUA start b", "LUA start c"], 0]);
});

test.each<[string, (hosts: HostRouter) => Promise<void>, readonly string[]]>([
  ["assigned a blueprint is started with it once", (hosts) => hosts.start(lua("z")[0] as Device), ["LUA start z"]],
  ["stopped is not started", (hosts) => hosts.stop("z"), []],
  ["restarted is started once, at once", (hosts) => hosts.restart("z"), ["LUA start z"]],
  ["asked for is started once, at once", (hosts) => hosts.startNow("z"), ["LUA start z"]],
])("a device that is %s before its turn", async (_, act, expected) => {
  const done: string[] = [];
  const hosts = switchOf(done);
  const starting = hosts.startAll(lua("a", "b", "z"), never);
  await act(hosts);
  await starting;
  expect(done.filter((line) => line.endsWith("z"))).toEqual(expected);
  expect(done.slice(1, 1 + expected.length)).toEqual(expected);
});

test("whoever asks for a device during its turn gets it started", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hosts = createHostRouter({ now: () => instant(7) });
  hosts.add({ ...host("LUA", []), start: () => promise });
  const starting = hosts.startAll(lua("a"), never);
  let isThere = false;
  const started = hosts.startNow("a").then(() => {
    expect(isThere).toBe(true);
  });
  isThere = true;
  resolve();
  await Promise.all([started, starting]);
});

test("a stop ends the starting, and one that cannot be started does not keep the others", async () => {
  const done: string[] = [];
  const hosts = createHostRouter({ now: () => instant(7) });
  const stop = new AbortController();
  hosts.add({
    ...host("LUA", done),
    async start({ id }) {
      done.push(id);
      if (id === "a") throw new Error("a bug");
      if (id === "c") stop.abort();
    },
  });
  await expect(hosts.startAll(lua("a", "b", "c", "d"), stop.signal)).rejects.toThrow("1 devices could not be started");
  expect([done, hosts.states()]).toEqual([["a", "b", "c"], []]);
});

test("a device that is deleted while it is handed over does not stay", async () => {
  const done: string[] = [];
  const found = [device("a", "LUA"), undefined];
  await hostDevice(needsOf(switchOf(done), { find: async () => found.shift() }), "a");
  expect(done).toEqual(["LUA start a", "LUA stop a"]);
});

function needsOf(hosts: DeviceHost, devices: object): Parameters<typeof hostDevice>[0] {
  return { hosts, devices: devices as Parameters<typeof hostDevice>[0]["devices"] };
}
