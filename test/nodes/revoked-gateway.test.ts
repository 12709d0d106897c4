// A gateway that is connected to one node of a cloud, and loses its access at another one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, isLinked } from "../support/linked-pair.ts";
import { startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { useServer } from "../support/server.ts";

const gateway = useServer(["--mqtt-port", "off"]);
let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server?.stop());

test("access that is revoked at one node ends the gateway's connection to another one", {
  timeout: 60_000,
}, async () => {
  const url = await server.database("revoked");
  const one = await startNode({ url });
  const other = await startNode({ url, like: one });
  const { code } = (await one.admin.post("/v3/gateways/join_codes", { name: "North" })).body;
  const joined = await gateway.admin.post("/v3/uplink", { url: other.url, code });
  expect(joined.status, joined.text).toBe(200);
  await isLinked(gateway, true);
  const [{ id }] = (await one.admin.get("/v3/gateways")).body.gateways;
  expect((await one.admin.delete(`/v3/gateways/${id}`)).status).toBe(200);
  await eventually(async () => {
    const { body } = await gateway.admin.get("/v3/uplink");
    expect(body).toMatchObject({ connected: false, last_error: expect.stringContaining("revoked") });
  });
});
