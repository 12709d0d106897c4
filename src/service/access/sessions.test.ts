import { expect, test } from "vitest";
import { RENEW_AFTER_MS, RENEW_GRACE_MS } from "#core/access/session.ts";
import { formatToken, SESSION_PREFIX } from "#core/access/token.ts";
import { ADMIN_TOKEN_ID } from "#core/access/token-record.ts";
import { instant } from "#core/time/instant.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { FakeSessions } from "../../../test/support/fake-sessions.ts";
import { FakeTokens } from "../../../test/support/fake-tokens.ts";
import { makeSession, makeToken, NOON, newId } from "../../../test/support/records.ts";
import { createAuthenticator } from "./authenticator.ts";
import { hashSecret } from "./hash-secret.ts";
import { createSessions } from "./sessions.ts";

const IDLE_MS = 7 * 86_400_000;
const ADMIN = makeToken({ id: ADMIN_TOKEN_ID, name: "admin", level: "system", hash: hashSecret("admin") });

let bytes = 0;

function prepare({ expiresIn = 30 * 86_400_000 } = {}) {
  const clock = createFakeClock(NOON);
  const token = makeToken({ level: "owner", sites: new Set(["s"]) });
  const tokens = new FakeTokens(token);
  const authenticator = createAuthenticator({ tokens, now: clock.now, after: clock.after, nodes: oneNode() }, ADMIN);
  const store = new FakeSessions();
  const randomBytes = () => new Uint8Array(32).fill(++bytes);
  const needs = { sessions: store, now: clock.now, randomBytes, authenticator, nodes: oneNode() };
  const id = newId();
  const text = formatToken(id, randomBytes(), SESSION_PREFIX);
  const expiresAt = instant(NOON + expiresIn);
  store.stored.set(
    id,
    makeSession({ id, tokenId: token.id, tokenHash: token.hash, hash: hashSecret(text), expiresAt }),
  );
  const sessions = createSessions(needs, IDLE_MS);
  const enter = async (cookie = text, mayRenew = true) => sessions.authenticate(cookie, mayRenew);
  /** Undefined when it was not renewed. */
  const renewed = async (cookie = text) => (await enter(cookie)).renewed?.text;
  const refused = async (cookie = text) =>
    await expect(enter(cookie)).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("session"),
    });
  return { clock, token, tokens, authenticator, store, sessions, id, text, enter, renewed, refused, needs };
}

test("a cookie's text gives the token's caller, from the store at first and from memory after that", async () => {
  const { sessions, token, text, id, store } = prepare();
  const caller = { tokenId: token.id, tokenName: token.name, level: "owner", sites: new Set(["s"]), sessionId: id };
  for (let i = 0; i < 3; i++) expect(await sessions.authenticate(text, true)).toEqual({ caller });
  expect(sessions.authenticate(text, true)).not.toBeInstanceOf(Promise);
  expect(store.looked).toBe(1);
});

test("what is no session is refused, and a token is not one", async () => {
  const { refused, id, text } = prepare();
  const secret = new Uint8Array(32).fill(99);
  for (const cookie of [
    "",
    "x".repeat(10_000),
    text.slice(0, -1),
    `${text} `,
    text.replace("bs_", "bb_"),
    formatToken(id, secret, SESSION_PREFIX),
    formatToken(newId(), secret, SESSION_PREFIX),
    formatToken(id, secret),
  ]) {
    await refused(cookie);
  }
});

test("a session ends at its expiry, and after it was idle for too long", async () => {
  const absolute = prepare({ expiresIn: 1_000 });
  await absolute.enter();
  await absolute.clock.advance(999);
  await absolute.enter();
  await absolute.clock.advance(1);
  await absolute.refused();
  const idle = prepare();
  await idle.enter();
  await idle.clock.advance(IDLE_MS - 1);
  await idle.enter(idle.text, false);
  await idle.sessions.flushUses();
  await idle.clock.advance(IDLE_MS - 1);
  await idle.enter(idle.text, false);
  await idle.clock.advance(IDLE_MS);
  await idle.refused();
});

test("the uses of sessions are stored, and known before they are", async () => {
  const { clock, sessions, store, id, enter } = prepare();
  await clock.advance(5);
  await enter();
  const stored = () => store.stored.get(id) ?? makeSession();
  expect([stored().lastUsedAt, sessions.lastUse(stored())]).toEqual([NOON, NOON + 5]);
  await sessions.flushUses();
  expect(stored().lastUsedAt).toBe(NOON + 5);
});

test("an old cookie gets a new value; the former one is accepted for calls that were under way", async () => {
  const { clock, renewed, enter, refused, text, id, store } = prepare();
  await clock.advance(RENEW_AFTER_MS - 1);
  expect(await renewed()).toBeUndefined();
  await clock.advance(1);
  const [first, ...others] = await Promise.all([renewed(), renewed(), renewed()]);
  expect(first).toMatch(/^bs_/);
  expect(others).toEqual([undefined, undefined]);
  expect(store.renewals).toBe(1);
  expect(first).not.toBe(text);
  expect(store.stored.get(id)?.hash).toEqual(hashSecret(first ?? ""));
  expect(await renewed()).toBeUndefined();
  expect((await enter(first)).caller.sessionId).toBe(id);
  await clock.advance(RENEW_GRACE_MS - 1);
  await enter();
  await clock.advance(1);
  await refused();
  expect(await renewed(first)).toBeUndefined();
});

test("when the answer with the new value was lost, the former one is accepted and renewed again", async () => {
  const { clock, renewed, enter, refused, text } = prepare();
  await clock.advance(RENEW_AFTER_MS);
  const lost = (await renewed()) ?? "";
  await clock.advance(RENEW_GRACE_MS);
  const second = (await renewed()) ?? "";
  expect(second).toMatch(/^bs_/);
  await refused(lost);
  await enter(second);
  await enter(text);
  await clock.advance(RENEW_GRACE_MS);
  await refused(text);
});

test("a call that cannot carry a cookie renews nothing, and a store that cannot write signs nobody out", async () => {
  const { clock, enter, renewed, store } = prepare();
  await clock.advance(RENEW_AFTER_MS);
  expect((await enter(undefined, false)).renewed).toBeUndefined();
  store.failure = new Error("disk full");
  expect(await renewed()).toBeUndefined();
  store.failure = undefined;
  expect(await renewed()).toMatch(/^bs_/);
});

test("after a restart both values of a renewed session are accepted until the new one was used", async () => {
  const { clock, renewed, needs, text } = prepare();
  await clock.advance(RENEW_AFTER_MS);
  const fresh = (await renewed()) ?? "";
  const restarted = createSessions(needs, IDLE_MS);
  await restarted.authenticate(text, false);
  await restarted.authenticate(fresh, false);
  await clock.advance(RENEW_GRACE_MS);
  expect(() => restarted.authenticate(text, false)).toThrow("the session has ended");
});

test("an ended session is refused at once, and a lookup that began before does not bring it back", async () => {
  const { sessions, store, id, enter, refused } = prepare();
  const began = enter();
  store.stored.delete(id);
  sessions.forget([id]);
  await began;
  await refused();
});

test("a session that another node has renewed is read again, also when a lookup began before", async () => {
  const { sessions, store, id, enter, refused } = prepare();
  const began = enter();
  store.stored.set(id, { ...makeSession(store.stored.get(id)), hash: hashSecret("of another node") });
  sessions.reread([id]);
  await began;
  await refused();
});

test("a session that ends while it is renewed stays ended", async () => {
  const { clock, sessions, store, id, renewed, enter, refused } = prepare();
  await clock.advance(RENEW_AFTER_MS);
  await enter(undefined, false);
  const renewing = renewed();
  store.stored.delete(id);
  sessions.forget([id]);
  await refused((await renewing) ?? "");
});

test("a bounded number of sessions is kept in memory: the one that was read first is read again", async () => {
  const { sessions, store, enter, token } = prepare();
  await enter();
  for (let i = 0; i < 10_000; i++) {
    const id = newId();
    const cookie = formatToken(id, new Uint8Array(32).fill(i), SESSION_PREFIX);
    const session = makeSession({ id, tokenId: token.id, tokenHash: token.hash, hash: hashSecret(cookie) });
    store.stored.set(id, { ...session, expiresAt: instant(NOON + 1_000) });
    await sessions.authenticate(cookie, false);
  }
  const before = store.looked;
  await enter();
  expect(store.looked).toBe(before + 1);
});

test("a session has what its token has now, and ends with it", async () => {
  const { authenticator, tokens, token, enter, refused } = prepare();
  await enter();
  tokens.stored.set(token.id, { ...token, level: "user" });
  authenticator.forget(token.id);
  expect((await enter()).caller.level).toBe("user");
  // As the admin token after admin.token was replaced.
  tokens.stored.set(token.id, { ...token, hash: hashSecret("another") });
  authenticator.forget(token.id);
  await refused();
  tokens.stored.set(token.id, { ...token, revokedAt: NOON });
  authenticator.forget(token.id);
  await expect(enter()).rejects.toMatchObject({ code: "unauthorized", message: expect.stringContaining("revoked") });
});

test("who listens is called when the session ends, when its token ends, and no longer than it watches", async () => {
  const { sessions, authenticator, id, token, enter } = prepare();
  const { caller } = await enter();
  const heard: string[] = [];
  const stop = sessions.onEnd(caller, () => heard.push("end"));
  sessions.onEnd({ ...caller, sessionId: newId() }, () => heard.push("another session"));
  sessions.forget([id]);
  expect(heard).toEqual(["end"]);
  authenticator.forget(token.id);
  expect(heard).toEqual(["end", "end", "another session"]);
  stop();
  sessions.forget([id]);
  expect(heard).toHaveLength(3);
});

test("an open stream keeps its session in use, until the session has ended", async () => {
  const { sessions, clock, enter, store, id } = prepare();
  const { caller } = await enter();
  for (let day = 0; day < 20; day++) {
    await clock.advance(86_400_000);
    expect(await sessions.isLive(caller)).toBe(true);
  }
  expect((await enter(undefined, false)).caller.sessionId).toBe(id);
  const { sessionId: _, ...withToken } = caller;
  expect(await sessions.isLive(withToken)).toBe(true);
  store.stored.delete(id);
  sessions.forget([id]);
  expect(await sessions.isLive(caller)).toBe(false);
});
