import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { type FakeAnswer, type FakeBusbar, startFakeBusbar } from "../../test/support/fake-busbar.ts";
import { type Client, createClient } from "./create-client.ts";
import { ApiError } from "./errors.ts";
import type { LiveEvent } from "./live-event.ts";
import type { CommandResponse, Execution } from "./resources.ts";

let server: FakeBusbar | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Stream = () => AsyncGenerator<string>;

/** Connections to the events, one after the other; the last one is the answer to all that follow. */
async function connect(streams: readonly (Stream | FakeAnswer)[], executions: readonly Execution[] = []) {
  let connections = 0;
  let reads = 0;
  server = await startFakeBusbar({
    "GET /v3/events": () => {
      const stream = streams[Math.min(connections++, streams.length - 1)];
      return typeof stream === "function" ? { body: stream() } : (stream ?? "hang");
    },
    "GET /v3/devices/d/commands/executions/e": () => ({
      body: { execution: executions[Math.min(reads++, executions.length - 1)] },
    }),
  });
  return createClient({ url: server.url, token: "t", timeout: 5_000 });
}

const log = (id: string, message: string) =>
  `id: ${id}\nevent: log\ndata: ${JSON.stringify({ site_id: "s", device_id: "d", log: { severity: "info", message } })}\n\n`;
const forever = () => new Promise<never>(() => {});

/** Events until the given number, as `kind` or the message of a log. */
async function take(client: Client, count: number): Promise<readonly string[]> {
  const leaving = new AbortController();
  const found: string[] = [];
  for await (const event of client.events({}, { signal: leaving.signal })) {
    found.push(event.kind === "log" ? event.log.message : event.kind);
    if (found.length === count) break;
  }
  leaving.abort();
  return found;
}

test("a lost connection is made again, and goes on after the last event", async () => {
  const client = await connect([
    async function* () {
      yield `retry: 1\n\n${log("r:1", "one")}: still here\n\n`;
      yield log("r:2", "two");
    },
    async function* () {
      yield log("r:3", "three");
      await forever();
    },
  ]);
  expect(await take(client, 6)).toEqual(["open", "one", "two", "lost", "open", "three"]);
  expect(server?.requests.map((request) => request.headers["last-event-id"])).toEqual([undefined, "r:2"]);
  expect(server?.requests[0]?.headers.accept).toBe("text/event-stream");
});

test("a connection lives while nobody asks for events, whatever becomes garbage meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let send = (_: string) => {};
  const sent = new Promise<string>((resolve) => {
    send = resolve;
  });
  const client = await connect([
    async function* () {
      yield ": begins\n\n";
      yield await sent;
      await forever();
    },
  ]);
  const leaving = new AbortController();
  const events = client.events({}, { signal: leaving.signal });
  await events.next();
  for (let n = 0; n < 10; n += 1) {
    collect();
    // What follows a collection comes in turns of the event loop of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  send(log("r:1", "one"));
  expect((await events.next()).value).toMatchObject({ kind: "log", log: { message: "one" } });
  leaving.abort();
});

test("what may have been missed is reported: by the server, or when it could not be asked", async () => {
  const client = await connect([
    async function* () {
      yield "retry: 1\n\n";
    },
    async function* () {
      yield `retry: 1\n\n${log("r:1", "one")}`;
    },
    async function* () {
      yield "event: gap\ndata: {}\n\n";
      await forever();
    },
  ]);
  expect(await take(client, 8)).toEqual(["open", "lost", "open", "gap", "one", "lost", "open", "gap"]);
});

test("what is no event is left out", async () => {
  const client = await connect([
    async function* () {
      yield `event: log\ndata: not json\n\ndata: 3\n\n${log("r:1", "one")}`;
      await forever();
    },
  ]);
  expect(await take(client, 2)).toEqual(["open", "one"]);
});

test("a server that is overloaded is asked again, one that refuses is not", async () => {
  const refusal = (status: number): FakeAnswer => ({ status, body: { errors: [{ code: "c", message: "no" }] } });
  const client = await connect([
    async function* () {
      yield `retry: 1\n\n${log("r:1", "one")}`;
    },
    refusal(503),
    refusal(401),
  ]);
  await expect(take(client, 9)).rejects.toThrow(ApiError);
  expect(server?.requests).toHaveLength(3);
});

test("the first connection must work", async () => {
  const client = await connect([{ status: 503, body: { errors: [{ code: "overloaded", message: "busy" }] } }]);
  await expect(take(client, 1)).rejects.toThrow("busy");
});

const response = (state: CommandResponse["state"], second: number): CommandResponse => ({
  state,
  payload: { step: second },
  received_at: `2026-01-01T00:00:0${second}.000000Z`,
});

function execution(state: Execution["state"], ...responses: readonly CommandResponse[]): Execution {
  const log = responses.toReversed();
  return {
    id: "e",
    device_id: "d",
    state,
    ephemeral: false,
    created_at: "2026-01-01T00:00:00.000Z",
    request: { name: "run", arguments: {}, manifest_name: "run" },
    ...(log[0] === undefined ? {} : { response: log[0] }),
    log,
  };
}

const eventOf = ({ log: _, ...rest }: Execution) => {
  const event: Partial<LiveEvent> = { site_id: "s", device_id: "d", execution: rest };
  return `id: r:1\nevent: execution\ndata: ${JSON.stringify(event)}\n\n`;
};

/** Updates as `STATE: steps of the new responses`. */
async function follow(client: Client): Promise<readonly string[]> {
  const updates = await Array.fromAsync(client.commands.follow("d", "e"));
  return updates.map(({ execution: { state }, responses }) =>
    `${state}: ${responses.map(({ payload }) => payload?.["step"]).join(" ")}`.trim(),
  );
}

const started = response("STARTED", 1);
const half = response("IN_PROGRESS", 2);
const done = response("SUCCEEDED", 3);

test("an execution is followed by events to its end, each response once", async () => {
  const client = await connect(
    [
      async function* () {
        yield eventOf({ ...execution("ERROR", half), id: "another" });
        yield eventOf(execution("IN_PROGRESS", started));
        yield eventOf(execution("IN_PROGRESS", half));
        yield eventOf(execution("SUCCESS", done));
        await forever();
      },
    ],
    [execution("NEW"), execution("IN_PROGRESS", started)],
  );
  expect(await follow(client)).toEqual(["NEW:", "IN_PROGRESS: 1", "IN_PROGRESS: 2", "SUCCESS: 3"]);
});

test("what happened while no events came is read from the log", async () => {
  const client = await connect(
    [
      async function* () {
        yield "retry: 1\n\nevent: gap\ndata: {}\n\n";
        await forever();
      },
    ],
    [execution("NEW"), execution("IN_PROGRESS", started), execution("SUCCESS", started, half, done)],
  );
  expect(await follow(client)).toEqual(["NEW:", "IN_PROGRESS: 1", "SUCCESS: 2 3"]);
});

test("without events the server is asked now and then", async () => {
  const client = await connect(
    [{ status: 404, body: { errors: [{ code: "route_not_found", message: "no events here" }] } }],
    [execution("NEW"), execution("SUCCESS", started, done)],
  );
  expect(await follow(client)).toEqual(["NEW:", "SUCCESS: 1 3"]);
});

test("an execution that has ended is not waited for", async () => {
  const client = await connect([], [execution("TIMEOUT", started)]);
  expect((await client.commands.wait("d", "e")).execution.state).toBe("TIMEOUT");
  expect(server?.requests).toHaveLength(1);
});

test("whoever waits can give up", async () => {
  const client = await connect([], [execution("NEW")]);
  const leaving = new AbortController();
  const waiting = client.commands.wait("d", "e", { signal: leaving.signal });
  setImmediate(() => leaving.abort());
  await expect(waiting).rejects.toMatchObject({ reason: "aborted" });
});
