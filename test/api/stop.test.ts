import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Site } from "#client/resources.ts";
import { parseRaw } from "../support/raw-http.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

test("writes that run when the service stops are finished, answered and kept; readiness is 503 meanwhile", async () => {
  const { port } = busbar;
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n");
  await once(socket, "data");
  const names = Array.from({ length: 20 }, (_, i) => `Site ${i}`);
  const writes = Promise.allSettled(names.map((name) => busbar.admin.post<{ site: Site }>("/v3/sites", { name })));
  const stopped = busbar.stop();
  let seen = "";
  socket.on("data", (part) => (seen += part.toString()));
  socket.write("\r\n");
  await once(socket, "close");
  const readiness = parseRaw(seen);
  expect([readiness.status, JSON.parse(readiness.text).errors[0].code]).toEqual([503, "shutting_down"]);
  await stopped;
  const acknowledged = (await writes).flatMap((result) =>
    result.status === "fulfilled" && result.value.status === 200 ? [result.value.body.site.name] : [],
  );
  await busbar.restart();
  const kept = (await busbar.admin.get<Page<"sites", Site>>("/v3/sites?limit=1000")).body.sites.map(
    (site) => site.name,
  );
  for (const name of acknowledged) expect(kept.filter((one) => one === name)).toEqual([name]);
});
