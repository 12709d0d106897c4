import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--http-header-prefixes", "X-Enapter,X-Service"]);

test.each(["X-Enapter-Auth-Token", "x-enapter-auth-token", "X-Service-Auth-Token"])(
  "the token is taken from %s",
  async (name) => {
    const answer = await busbar.anonymous.get("/v3/sites", { headers: { [name]: busbar.adminToken } });
    expect(answer.status).toBe(200);
  },
);

test("a prefix that is not set is not taken", async () => {
  const refused = await busbar.anonymous.get("/v3/sites", { headers: { "X-Other-Auth-Token": busbar.adminToken } });
  expect(refused.status).toBe(401);
});

test("the document and the pages name the first prefix", async () => {
  const { securitySchemes } = busbar.document["components"] as { securitySchemes: { token: { name: string } } };
  expect(securitySchemes.token.name).toBe("X-Enapter-Auth-Token");
  expect((await busbar.anonymous.get("/")).text).toContain("X-Enapter-Auth-Token");
});
