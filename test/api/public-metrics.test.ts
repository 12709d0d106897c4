import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--http-metrics-public"]);

test("metrics that are set public also answer over a proxy", async () => {
  expect((await busbar.anonymous.get("/metrics", { headers: { "X-Forwarded-For": "203.0.113.9" } })).status).toBe(200);
});
