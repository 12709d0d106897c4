import { expect, test } from "vitest";
import { type Claims, readProviderPerson } from "./provider-person.ts";

const read = (claims: Claims) => readProviderPerson("https://id.example", claims, "groups");

test("a person has the issuer, the subject, the name, the mail address and the groups", () => {
  expect(
    read({ sub: "42", name: "Ada", email: "ada@example.org", email_verified: true, groups: ["ops", "all"] }),
  ).toEqual({
    issuer: "https://id.example",
    subject: "42",
    name: "Ada",
    mail: "ada@example.org",
    groups: ["ops", "all"],
    session: undefined,
    proofs: [],
  });
});

test.each([
  [{ sid: "s1", acr: "gold", amr: ["pwd", "mfa"] }, "s1", ["acr=gold", "amr=pwd", "amr=mfa"]],
  [{ sid: 7, acr: ["gold"], amr: "mfa" }, undefined, []],
  [{ sid: "x".repeat(256), amr: [1, null, "otp"] }, undefined, ["amr=otp"]],
  [
    { amr: [...Array.from({ length: 50 }, () => "pwd"), "mfa"] },
    undefined,
    Array.from({ length: 50 }, () => "amr=pwd"),
  ],
])("how the provider signed in by %j", (claims, session, proofs) => {
  expect(read({ sub: "42", ...claims })).toMatchObject({ session, proofs });
});

test.each([
  [{}, undefined],
  [{ sub: "" }, undefined],
  [{ sub: 42 }, undefined],
  [{ sub: "x".repeat(256) }, undefined],
  [{ sub: "42" }, "42"],
  [{ sub: "42", email: "ada@example.org" }, "ada@example.org"],
  [{ sub: "42", preferred_username: "ada", email: "ada@example.org" }, "ada"],
  [{ sub: "42", name: " Ada\n\u0007Lovelace ", preferred_username: "ada" }, "Ada Lovelace"],
  [{ sub: "42", name: "   ", preferred_username: "ada" }, "ada"],
  [{ sub: "42", name: "n".repeat(300) }, "n".repeat(200)],
])("the name by %j is %s", (claims, expected) => {
  expect(read(claims)?.name).toBe(expected);
});

test.each([
  [{}, undefined],
  [{ email: "ada@example.org" }, "ada@example.org"],
  [{ email: "ada@example.org", email_verified: "true" }, "ada@example.org"],
  [{ email: "ada@example.org", email_verified: false }, undefined],
  [{ email: "ada@example.org", email_verified: "false" }, undefined],
  [{ email: "ada@example.org", email_verified: null }, undefined],
  [{ email: "ada" }, undefined],
  [{ email: ["ada@example.org"] }, undefined],
  [{ email: `${"a".repeat(64)}@${"b".repeat(200)}.example` }, undefined],
  [{ email: "ada@example.org\r\nBcc: all@example.org" }, undefined],
])("the mail address by %j is %s", (claims, expected) => {
  expect(read({ sub: "42", ...claims })?.mail).toBe(expected);
});

test.each([
  [{}, []],
  [{ groups: "ops" }, ["ops"]],
  [{ groups: ["ops", 7, "", null, "all"] }, ["ops", "all"]],
  [{ groups: { ops: true } }, []],
  [{ groups: Array.from({ length: 2_001 }, (_, index) => `g${index}`) }, []],
])("the groups by %j are %j", (claims, expected) => {
  expect(read({ sub: "42", ...claims })?.groups).toEqual(expected);
});

test("a claim is only what the provider sent itself", () => {
  expect(readProviderPerson("https://id.example", { sub: "42" }, "constructor")?.groups).toEqual([]);
});
