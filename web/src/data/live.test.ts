// The page's live connection over a server that the test plays: it resumes, catches up, and says when it is not live.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { live, watchPage } from "./live.svelte.ts";

interface Connection {
  readonly site: string | null;
  readonly lastEventId: string | null;
  readonly replay: string | null;
  send(text: string): void;
  cut(): void;
  isOpen: boolean;
}

let connections: Connection[] = [];
/** What the next connections meet instead of a stream. */
let refusal: "unreachable" | 401 | undefined;
let stops: (() => void)[] = [];

function connect(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  if (refusal === "unreachable") return Promise.reject(new TypeError("fetch failed"));
  if (refusal !== undefined) return Promise.resolve(Response.json({ errors: [] }, { status: refusal }));
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (made) => {
      controller = made;
    },
  });
  const connection: Connection = {
    site: new URL(String(input)).searchParams.get("site_id.in"),
    replay: new URL(String(input)).searchParams.get("replay"),
    lastEventId: new Headers(init.headers).get("Last-Event-ID"),
    isOpen: true,
    send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
    cut: () => {
      if (connection.isOpen) controller?.error(new TypeError("connection lost"));
      connection.isOpen = false;
      clearInterval(heartbeat);
    },
  };
  // A connection on which nothing comes for long is given up.
  const heartbeat = setInterval(() => connection.send(":\n\n"), 15_000);
  init.signal?.addEventListener("abort", () => connection.cut());
  connections.push(connection);
  return Promise.resolve(new Response(body));
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", connect);
  connections = [];
  refusal = undefined;
});

afterEach(async () => {
  live.stop();
  for (const stop of stops) stop();
  stops = [];
  await vi.advanceTimersByTimeAsync(60_000);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Longer than the longest pause between two tries. */
const RETRIED = 31_000;
const wait = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const newest = () => connections.at(-1) ?? expect.unreachable("there is no connection");
const log = (id: string, message: string) =>
  `id: ${id}\nevent: log\ndata: ${JSON.stringify({ site_id: "s", device_id: "d", log: { severity: "info", message } })}\n\n`;
const values = (device: string, telemetry: Readonly<Record<string, number>>) => {
  const entries = Object.entries(telemetry).map(([name, value]) => [name, { value, timestamp: 1 }]);
  return `event: telemetry\ndata: ${JSON.stringify({ site_id: "s", device_id: device, telemetry: Object.fromEntries(entries) })}\n\n`;
};

/** What the screens are asked to read again: everything after a gap, otherwise the newest values. */
function catchUps(): ("gap" | "values")[] {
  const asked: ("gap" | "values")[] = [];
  stops.push(live.onCatchUp((isGap) => asked.push(isGap ? "gap" : "values")));
  return asked;
}

async function listen(site = "s"): Promise<void> {
  live.listen(site);
  await wait();
  expect(live.phase).toBe("live");
}

test("it is live once it is connected, and the first connection has nothing to catch up with", async () => {
  const asked = catchUps();
  expect(live.phase).toBe("connecting");
  await listen();
  expect([newest().site, newest().lastEventId, asked]).toEqual(["s", null, []]);
  // What changed while the lists were read comes with it.
  expect(newest().replay).toMatch(/^\d+s$/);
  live.listen("s");
  await wait();
  expect(connections).toHaveLength(1);
});

test("values of a device are published together when they are drawn next; everything else is published at once", async () => {
  const seen: string[] = [];
  stops.push(
    live.on(["telemetry", "log"], (event) =>
      seen.push(
        event.kind === "log" ? event.log.message : `${event.device_id} ${Object.keys(event.telemetry).join(" ")}`,
      ),
    ),
  );
  await listen();
  newest().send(
    values("a", { power: 1 }) + values("b", { soc: 1 }) + values("a", { power: 2, state: 3 }) + log("1", "hello"),
  );
  await wait();
  expect(seen).toEqual(["hello"]);
  await wait(500);
  expect(seen).toEqual(["hello", "a power state", "b soc"]);
});

test("after a cut it says since when it is not live, resumes after the last event, and reads only values again", async () => {
  const asked = catchUps();
  await listen();
  newest().send(log("run:7", "hello"));
  await wait(5_000);
  const cutAt = Date.now();
  newest().cut();
  await wait();
  expect([live.phase, live.since]).toEqual(["lost", cutAt]);
  refusal = "unreachable";
  await wait(RETRIED);
  expect([live.phase, live.since]).toEqual(["lost", cutAt]);
  refusal = undefined;
  await wait(RETRIED);
  expect(live.phase).toBe("live");
  expect([newest().lastEventId, asked]).toEqual(["run:7", ["values"]]);
});

test("where events are missing, everything is read again", async () => {
  const asked = catchUps();
  await listen();
  // Without an id the server cannot know what was missed.
  newest().cut();
  await wait(RETRIED);
  expect(asked).toEqual(["values", "gap"]);
  newest().send('event: gap\ndata: {"kinds":["log"]}\n\n');
  await wait();
  expect(asked).toEqual(["values", "gap", "gap"]);
});

test("a server that is not there at first is tried until it is, and then everything is read", async () => {
  const asked = catchUps();
  refusal = "unreachable";
  live.listen("s");
  await wait();
  expect(live.phase).toBe("lost");
  refusal = undefined;
  await wait(RETRIED);
  expect([live.phase, asked]).toEqual(["live", ["gap"]]);
});

test("a session that has ended is not tried again", async () => {
  refusal = 401;
  live.listen("s");
  await wait();
  refusal = undefined;
  await wait(10 * RETRIED);
  expect([live.phase, connections]).toEqual(["lost", []]);
});

test("another site is another connection, and everything is read again", async () => {
  const asked = catchUps();
  await listen("s");
  const first = newest();
  await listen("t");
  expect([first.isOpen, newest().site, asked]).toEqual([false, "t", ["gap"]]);
});

function playPage() {
  const [page, window] = [Object.assign(new EventTarget(), { hidden: false }), new EventTarget()];
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", window);
  stops.push(watchPage());
  return {
    show(isShown: boolean) {
      page.hidden = !isShown;
      page.dispatchEvent(new Event("visibilitychange"));
    },
    window,
  };
}

test("a page that nobody looks at gives its connection back, and catches up when it is looked at again", async () => {
  const { show } = playPage();
  const asked = catchUps();
  await listen();
  show(false);
  await wait(60_000);
  expect(newest().isOpen).toBe(true);
  await wait(70_000);
  expect([newest().isOpen, live.phase]).toEqual([false, "connecting"]);
  show(true);
  await wait();
  expect([connections.length, live.phase, asked]).toEqual([2, "live", ["gap"]]);
});

test("after a sleep of the machine, and when the network is back, it connects anew", async () => {
  const { window } = playPage();
  const asked = catchUps();
  await listen();
  vi.setSystemTime(Date.now() + 3_600_000);
  await wait(2_000);
  expect([connections.length, live.phase, asked]).toEqual([2, "live", ["gap"]]);
  window.dispatchEvent(new Event("online"));
  await wait();
  expect([connections.length, live.phase, asked]).toEqual([3, "live", ["gap", "gap"]]);
});
