import { expect, test } from "vitest";
import { createDatabaseServers, type ServerState } from "./database-servers.ts";

const TWO = "postgres://a,b/x";
const writable = (timeline: number, system = "one"): ServerState => ({ isWritable: true, system, timeline });
const reading = (): ServerState => ({ isWritable: false, system: "one", timeline: undefined });

/** Servers whose answers can be changed. */
function fakeServers(answers: Record<string, ServerState | Error>, url = TWO) {
  let asked = 0;
  const servers = createDatabaseServers(url, async ({ host }) => {
    asked++;
    const answer = answers[host];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("nobody is there");
    return answer;
  });
  return { answers, servers, asked: () => asked, host: async () => (await servers.choose())?.host };
}

const refused = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
const connection = () => {
  const dropped = { count: 0, drop: () => void dropped.count++ };
  return dropped;
};

test("of several servers the one that accepts writes is chosen, and kept until it is forgotten", async () => {
  const { answers, servers, asked, host } = fakeServers({ a: reading(), b: writable(1) });
  expect(await Promise.all([host(), host(), host()])).toEqual(["b", "b", "b"]);
  expect(asked(), "all who wait share one look at both").toBe(2);
  answers["a"] = writable(2);
  answers["b"] = refused();
  expect([await host(), asked()]).toEqual(["b", 2]);
  servers.forget();
  expect([await host(), asked()]).toEqual(["a", 4]);
});

test("of two servers that accept writes the one with the later timeline is the primary", async () => {
  const { answers, servers, host } = fakeServers({ a: writable(1), b: writable(2) });
  expect(await host()).toBe("b");
  answers["b"] = refused();
  servers.forget();
  await expect(host()).rejects.toThrow(
    "no server of the address is the primary: a:5432 is an old primary (timeline 1); b:5432 connect ECONNREFUSED",
  );
  answers["b"] = writable(2);
  expect(await host()).toBe("b");
});

test("an old primary is refused, and connections to it end when a later timeline is seen", () => {
  for (const url of [TWO, "postgres://floating/x"]) {
    const { servers } = fakeServers({}, url);
    const [first, second] = [connection(), connection()];
    servers.accept(writable(1), first);
    expect(first.count).toBe(0);
    servers.accept(writable(2), second);
    expect([first.count, second.count]).toEqual([1, 0]);
    expect(() => servers.accept(writable(1), connection())).toThrow(
      "the server has timeline 1, and another one took over with timeline 2: it is an old primary",
    );
    expect(second.count).toBe(0);
  }
});

test("a connection that has ended is not ended again", () => {
  const { servers } = fakeServers({}, "postgres://floating/x");
  const first = connection();
  servers.accept(writable(1), first)();
  servers.accept(writable(2), connection());
  expect(first.count).toBe(0);
});

test("another system, such as a database that was restored into a new server, has timelines of its own", () => {
  const { servers } = fakeServers({}, "postgres://floating/x");
  servers.accept(writable(5), connection());
  expect(() => servers.accept(writable(1, "restored"), connection())).not.toThrow();
});

test("one server may only read, because reads are answered then; of several such a one is not the primary", () => {
  expect(() => fakeServers({}, "postgres://one/x").servers.accept(reading(), connection())).not.toThrow();
  expect(() => fakeServers({}).servers.accept(reading(), connection())).toThrow("only reads");
});

test("what another try cannot mend is thrown as it is, and what it may mend names every server", async () => {
  const wrong = Object.assign(new Error("password authentication failed"), { code: "28P01" });
  await expect(fakeServers({ a: wrong, b: wrong }).host()).rejects.toBe(wrong);
  await expect(fakeServers({ a: wrong, b: reading() }).host()).rejects.toMatchObject({
    code: "57P03",
    message: "no server of the address is the primary: a:5432 password authentication failed; b:5432 only reads",
  });
});
