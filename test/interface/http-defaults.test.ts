// What holds over HTTP without any setting.
import { expect } from "vitest";
import { useServer } from "../support/server.ts";
import { check } from "./check.ts";

const busbar = useServer();

check("http.cors-off", async () => {
  const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "POST" };
  const preflight = await fetch(`${busbar.url}/v3/sites`, { method: "OPTIONS", headers });
  expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  const call = await busbar.admin.get("/v3/sites", { headers });
  expect(call.headers.get("access-control-allow-origin")).toBeNull();
});
