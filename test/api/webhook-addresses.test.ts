import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";

const busbar = useServer();

test.each([
  "http://127.0.0.1:9/",
  "http://localhost/",
  "http://2130706433/",
  "http://[::1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://10.1.2.3/",
  "http://192.168.0.1/",
  "http://169.254.169.254/latest/meta-data",
])("without the setting a webhook cannot reach %s", async (url) => {
  const { status, errors } = await busbar.admin.post("/v3/webhooks", { url });
  expect([status, errors[0]?.message]).toEqual([400, expect.stringContaining("webhooks.allow_private")]);
});

test("a public name is accepted without asking anybody", async () => {
  expect((await busbar.admin.post("/v3/webhooks", { url: "https://receiver.invalid/hook" })).status).toBe(200);
});
