import { expect, test } from "vitest";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { instant } from "#core/time/instant.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { callBy, parseScope } from "../../../test/support/calls.ts";
import { NEVER } from "../../../test/support/fake-clock.ts";
import { FakeTokens } from "../../../test/support/fake-tokens.ts";
import { makeToken, NOON } from "../../../test/support/records.ts";
import { createAuthenticator } from "./authenticator.ts";
import { listTokens } from "./list-tokens.ts";

const ALL = { limit: 1000, offset: 0 };

test.each([
  ["readonly", "readonly"],
  ["user", "readonly user"],
  ["owner", "readonly user owner"],
  ["installer", "readonly user owner installer"],
  ["vendor", "readonly user owner installer vendor"],
  ["system", "readonly user owner installer vendor system"],
] as const)("a caller of level %s sees the tokens of level %s", async (level, seen) => {
  const needs = createNeeds(...ACCESS_LEVELS.map((name) => makeToken({ name, level: name })));
  const { items, total } = await listTokens(needs, callBy(level), ALL);
  expect(items.map((token) => token.level).join(" ")).toBe(seen);
  expect(total).toBe(items.length);
});

// Tokens for [all], [a], [a b], [b] and [] exist; the caller's sites, and whose tokens it sees.
test.each([
  ["all", ["all", "a", "a b", "b", ""]],
  ["a b", ["a", "a b", "b", ""]],
  ["a", ["a", ""]],
  ["b", ["b", ""]],
  ["x", [""]],
])("a caller for [%s] sees the tokens for %j", async (own, seen) => {
  const scopes = ["all", "a", "a b", "b", ""];
  const needs = createNeeds(...scopes.map((name) => makeToken({ name, sites: parseScope(name) })));
  const { items, total } = await listTokens(needs, callBy("system", parseScope(own)), ALL);
  expect(items.map((token) => token.name)).toEqual(seen);
  expect(total).toBe(seen.length);
});

test("invisible tokens take no place on a page and are not counted", async () => {
  const made = ["user", "vendor", "user", "vendor", "user", "user"] as const;
  const tokens = made.map((level, index) => makeToken({ level, name: `${index}` }));
  const page = async (limit: number, offset: number) => {
    const { items, total } = await listTokens(createNeeds(...tokens), callBy("owner"), { limit, offset });
    return `${items.map((token) => token.name).join(" ")} of ${total}`;
  };
  expect(await page(2, 0)).toBe("0 2 of 4");
  expect(await page(2, 1)).toBe("2 4 of 4");
  expect(await page(10, 3)).toBe("5 of 4");
  expect(await page(10, 4)).toBe(" of 4");
  expect(await page(0, 0)).toBe(" of 4");
});

test("the last use is shown also before it is stored", async () => {
  const [fresh, stored, unused] = [
    makeToken({ lastUsedAt: NOON }),
    makeToken({ lastUsedAt: NOON }),
    makeToken({ revokedAt: NOON }),
  ];
  const needs = createNeeds(fresh, stored, unused);
  const later = instant(NOON + 5);
  const authenticator = { ...needs.authenticator, lastUse: (id: string) => (id === fresh.id ? later : undefined) };
  const { items } = await listTokens({ ...needs, authenticator }, callBy("system"), ALL);
  expect(items).toEqual([{ ...fresh, lastUsedAt: later }, stored, unused]);
});

function createNeeds(...made: readonly ReturnType<typeof makeToken>[]) {
  const tokens = new FakeTokens(...made);
  return {
    tokens,
    authenticator: createAuthenticator({ tokens, now: () => NOON, after: NEVER, nodes: oneNode() }, makeToken()),
  };
}
