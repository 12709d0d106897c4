import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeBusbar, startFakeBusbar } from "../../test/support/fake-busbar.ts";
import { signInByBrowser } from "./sign-in-by-browser.ts";

const BEGUN = {
  device_code: "secret",
  user_code: "BCDF-GHJK",
  verification_path: "/terminal",
  expires_at: "2026-11-19T05:00:00.000Z",
  interval: 5,
};

let server: FakeBusbar;
let states: string[];
beforeEach(async () => {
  server = await startFakeBusbar({
    "POST /v3/terminal_sign_ins": () => ({ body: BEGUN }),
    "POST /v3/terminal_sign_ins/token": () => {
      const state = states.shift() ?? "EXPIRED";
      if (state === "AWAY") return { status: 503, body: { errors: [{ code: "overloaded", message: "busy" }] } };
      if (state === "REFUSED") return { status: 400, body: { errors: [{ code: "invalid_body", message: "no" }] } };
      const isIn = state === "APPROVED";
      return { body: { state, id: isIn ? "t1" : null, token: isIn ? "bb_secret" : null } };
    },
  });
});
afterEach(() => server.stop());

async function run(...given: readonly string[]) {
  states = [...given];
  const waits: number[] = [];
  const shown: object[] = [];
  const found = await signInByBrowser({
    url: `${server.url}/base/`.replace("/base/", "/"),
    program: "report",
    level: "user",
    onCode: (code) => shown.push(code),
    wait: async (ms) => void waits.push(ms),
  });
  return { found, waits, shown };
}

test("the code and the page are shown, and the token is the answer once the person has agreed", async () => {
  const { found, waits, shown } = await run("PENDING", "PENDING", "APPROVED");
  expect(found).toEqual({ state: "approved", id: "t1", token: "bb_secret" });
  expect(shown).toEqual([{ code: "BCDF-GHJK", page: `${server.url}/terminal`, expiresAt: BEGUN.expires_at }]);
  expect(waits).toEqual([5_000, 5_000, 5_000]);
  expect(server.requests.every(({ headers }) => headers["x-service-auth-token"] === undefined)).toBe(true);
});

test("it slows down when it is told to and while the server has no time", async () => {
  const { found, waits } = await run("SLOW_DOWN", "AWAY", "PENDING", "DENIED");
  expect([found, waits]).toEqual([{ state: "denied" }, [5_000, 10_000, 15_000, 15_000]]);
});

test("it ends when nobody agrees, also if the server never says so", async () => {
  expect((await run("PENDING", "EXPIRED")).found).toEqual({ state: "expired" });
  const { found, waits } = await run(...Array.from({ length: 100 }, () => "AWAY"));
  expect([found, waits.length]).toEqual([{ state: "expired" }, 24]);
});

test("a refusal is thrown, and the program's own signal ends the waiting", async () => {
  await expect(run("REFUSED")).rejects.toMatchObject({ status: 400 });
  const signal = AbortSignal.abort();
  const options = { url: server.url, program: "x", onCode: () => {}, wait: async () => {} };
  states = ["PENDING"];
  expect(await signInByBrowser({ ...options, signal })).toEqual({ state: "aborted" });
});
