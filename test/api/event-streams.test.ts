// Event streams over real connections: how many, how they end, and what their ids reveal.
import { connect } from "node:net";
import { expect, test } from "vitest";
import { listen } from "../support/listen.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { useServer } from "../support/server.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--http-streams-per-token", "3"], { clocks });

/** How many streams are open, by the metrics. */
async function openStreams(): Promise<number> {
  const { text } = await busbar.anonymous.get("/metrics");
  return Number(/^busbar_share_inside\{share="event_streams"\} (\d+)$/m.exec(text)?.[1]);
}

async function seenOpen(count: number): Promise<void> {
  while ((await openStreams()) !== count) await new Promise((resolve) => setTimeout(resolve, 10));
}

function openRaw(request: string) {
  const socket = connect(busbar.port, "127.0.0.1").on("error", () => {});
  socket.resume().write(`${request} HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Token: ${busbar.adminToken}\r\n\r\n`);
  return socket;
}

test("a stream ends with its connection, whether that is closed, reset or only asks for the head", async () => {
  for (const end of ["end", "destroy", "resetAndDestroy"] as const) {
    const socket = openRaw("GET /v3/events");
    await seenOpen(1);
    socket[end]();
    await seenOpen(0);
  }
  for (let n = 0; n < 10; n++) {
    const { status, headers } = await busbar.admin.call("HEAD", "/v3/events");
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  }
  await seenOpen(0);
});

test("a token has so many streams, another one its own, and a stream that ended makes room", async () => {
  const sockets = [1, 2, 3].map(() => openRaw("GET /v3/events"));
  await seenOpen(3);
  const refused = await busbar.admin.get("/v3/events");
  expect([refused.status, refused.errors[0]?.code, refused.headers.get("retry-after")]).toEqual([
    429,
    "too_many_streams",
    "10",
  ]);
  const other = await listen(busbar.url, await busbar.token({}));
  sockets[0]?.destroy();
  await seenOpen(3);
  sockets.push(openRaw("GET /v3/events"));
  await seenOpen(4);
  other.close();
  for (const socket of sockets) socket.destroy();
  await seenOpen(0);
});

test("a stream is not held back by a proxy", async () => {
  const { headers } = await busbar.admin.call("HEAD", "/v3/events");
  expect(headers.get("x-accel-buffering")).toBe("no");
});

test("a stream ends when its token expires, long before its next sign of life", async () => {
  const token = await busbar.token({ expires_in: "10s" });
  const answer = await fetch(`${busbar.url}/v3/events`, { headers: { "X-Service-Auth-Token": token } });
  // The next sign of life comes after 15 s.
  clocks.advance(10_000);
  expect(await answer.text()).toBe("retry: 2000\n\n");
});
