import { expect, test } from "vitest";
import { formatToken } from "#core/access/token.ts";
import { ADMIN_TOKEN_ID, type TokenRecord } from "#core/access/token-record.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { callBy } from "../../../test/support/calls.ts";
import { NEVER } from "../../../test/support/fake-clock.ts";
import { FakeTokens } from "../../../test/support/fake-tokens.ts";
import { makeToken, NOON, newId } from "../../../test/support/records.ts";
import { createAuthenticator } from "./authenticator.ts";
import { hashSecret } from "./hash-secret.ts";
import { revokeToken } from "./revoke-token.ts";

const ADMIN = makeToken({ id: ADMIN_TOKEN_ID, name: "admin", level: "system" });

test("a call that starts after the revocation's answer is refused", async () => {
  const { needs, text, token } = prepare();
  await needs.authenticator.authenticate(text);
  await revokeToken(needs, callBy("owner"), token.id);
  await expect(needs.authenticator.authenticate(text)).rejects.toMatchObject({ code: "unauthorized" });
  expect(needs.tokens.stored.get(token.id)?.revokedAt).toBe(NOON);
  expect(needs.tokens.trails).toMatchObject([{ outcome: "OK", target: { tokenId: token.id } }]);
});

test("revoking twice is the same as once", async () => {
  const { needs, token } = prepare();
  await revokeToken(needs, callBy("owner"), token.id);
  await revokeToken(needs, callBy("owner"), token.id);
  expect(needs.tokens.trails).toHaveLength(1);
});

test("a token may revoke itself", async () => {
  const { needs, text, token } = prepare();
  const caller = await needs.authenticator.authenticate(text);
  await revokeToken(needs, { ...callBy("user"), caller }, token.id);
  await expect(needs.authenticator.authenticate(text)).rejects.toMatchObject({ code: "unauthorized" });
});

test("a token that the caller does not see is refused in the very words for one that does not exist", async () => {
  const { needs, token } = prepare({ level: "installer", sites: new Set(["a", "b"]) });
  const unknown = newId();
  const refusal = (call: ReturnType<typeof callBy>, id: string) =>
    revokeToken(needs, call, id).then(
      () => "revoked",
      (error: Error & { code: string }) => `${error.code} ${error.message.replace(id, "?")}`,
    );
  expect(await refusal(callBy("system"), unknown)).toBe("not_found there is no token ?");
  expect(await refusal(callBy("system"), "constructor")).toBe("not_found there is no token ?");
  expect(await refusal(callBy("owner"), token.id)).toBe("not_found there is no token ?");
  expect(await refusal(callBy("vendor", new Set(["a"])), token.id)).toBe("not_found there is no token ?");
  expect(await refusal(callBy("vendor"), ADMIN_TOKEN_ID)).toBe("not_found there is no token ?");
  expect(await refusal(callBy("system"), ADMIN_TOKEN_ID)).toMatch(/^conflict the admin token is not revoked by a call/);
  expect(needs.tokens.trails).toEqual([]);
  expect(await refusal(callBy("installer", new Set(["b", "a", "c"])), token.id)).toBe("revoked");
});

function prepare(fields: Partial<TokenRecord> = {}) {
  const id = newId();
  const text = formatToken(id, new Uint8Array(32).fill(7));
  const token = makeToken({ id, hash: hashSecret(text), ...fields });
  const tokens = new FakeTokens(token, ADMIN);
  const now = () => NOON;
  return {
    needs: {
      tokens,
      now,
      newId,
      authenticator: createAuthenticator({ tokens, now, after: NEVER, nodes: oneNode() }, ADMIN),
    },
    text,
    token,
  };
}
