import type { lookup } from "node:dns";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { reachRules } from "../../../test/support/drivers.ts";
import { createReach } from "./create-reach.ts";

/** A resolver that gives these addresses for every name, and remembers what it was asked. */
function resolver(...addresses: readonly string[]) {
  const asked: string[] = [];
  const lookUp = (name: string, _: unknown, callback: (error: Error | null, found?: object) => void) => {
    asked.push(name);
    if (addresses.length === 0) return callback(Object.assign(new Error("none"), { code: "ENOTFOUND" }));
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { asked, lookUp: lookUp as unknown as typeof lookup };
}

function look(reach: ReturnType<typeof createReach>, name: string, port: number, all = true): Promise<unknown> {
  return new Promise((resolve) => {
    reach.lookup(port)(name, { all }, (error, address) => resolve(error === null ? address : error.message));
  });
}

test("of the addresses of a name those are given that are allowed", async () => {
  const { lookUp } = resolver("127.0.0.1", "10.0.0.5", "fd00::5", "9.9.9.9");
  const reach = createReach({ rules: () => reachRules("private:502"), lookUp });
  expect(await look(reach, "plc.lan", 502)).toEqual([
    { address: "10.0.0.5", family: 4 },
    { address: "fd00::5", family: 6 },
  ]);
  expect(await look(reach, "plc.lan", 502, false)).toBe("10.0.0.5");
  expect(await look(reach, "plc.lan", 503)).toContain("plc.lan:503 is not allowed for this device");
});

test("localhost is this machine, whatever a name server says", async () => {
  const { lookUp, asked } = resolver("9.9.9.9");
  const reach = createReach({ rules: () => reachRules("public", "localhost:80"), lookUp });
  expect(await look(reach, "localhost", 80)).toEqual([{ address: "127.0.0.1", family: 4 }]);
  expect(await look(reach, "a.localhost", 80)).toContain("is not allowed");
  expect(asked).toEqual([]);
});

test("a name that cannot be resolved is reported as that", async () => {
  const { lookUp } = resolver();
  expect(await look(createReach({ rules: () => reachRules("public"), lookUp }), "nowhere", 80)).toBe("none");
});

test("a script whose names nobody answers looks up no more of them", async () => {
  const asked: (() => void)[] = [];
  const lookUp = ((_: string, __: unknown, callback: (error: null, found: object[]) => void) => {
    asked.push(() => callback(null, [{ address: "9.9.9.9", family: 4 }]));
  }) as unknown as typeof lookup;
  const reach = createReach({ rules: () => reachRules("public"), lookUp });
  const waiting = [1, 2, 3, 4].map((n) => look(reach, `${n}.example`, 80, false));
  expect(await look(reach, "5.example", 80)).toBe("4 names are being looked up already");
  expect(asked).toHaveLength(4);
  for (const answer of asked) answer();
  expect(await Promise.all(waiting)).toEqual(["9.9.9.9", "9.9.9.9", "9.9.9.9", "9.9.9.9"]);
  const next = look(reach, "6.example", 80, false);
  asked.at(-1)?.();
  expect(await next).toBe("9.9.9.9");
});

test("a name that no rule could allow is refused before anyone is asked", () => {
  const reach = createReach({ rules: () => reachRules("api.example.com:443", "10.0.0.5:502") });
  expect(() => reach.check("secret.evil.example", 443)).toThrow("secret.evil.example:443 is not allowed");
  expect(() => reach.check("API.example.com.", 443)).not.toThrow();
  expect(() => reach.check("plc.lan", 502)).not.toThrow();
});

test("the addresses that this machine has now are its own", () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  expect(own.length).toBeGreaterThan(0);
  const reach = createReach({ rules: () => reachRules("private", "public", "0.0.0.0/0", "::/0") });
  for (const address of own) expect(() => reach.check(address, 8080)).toThrow("is not allowed for this device");
});
