// What holds over HTTP without any setting.
import { expect } from "vitest";
import { useServer } from "../support/server.ts";
import { check } from "./check.ts";

const busbar = useServer();
const open = useServer(["--http-metrics-public"]);

check("http.cors-off", async () => {
  const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "POST" };
  const preflight = await fetch(`${busbar.url}/v3/sites`, { method: "OPTIONS", headers });
  expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  const call = await busbar.admin.get("/v3/sites", { headers });
  expect(call.headers.get("access-control-allow-origin")).toBeNull();
});

check("resources.metrics-loopback", async () => {
  const { status, headers, text } = await busbar.anonymous.get("/metrics");
  expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
  expect(text).toMatch(/^# TYPE \w+ (counter|gauge)$/m);
  const forwarded = { headers: { "X-Forwarded-For": "203.0.113.9" } };
  expect((await busbar.anonymous.get("/metrics", forwarded)).status).toBe(403);
  expect((await open.anonymous.get("/metrics", forwarded)).status).toBe(200);
});
