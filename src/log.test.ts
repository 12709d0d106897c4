import { expect, test } from "vitest";
import { Secret } from "#core/secret.ts";
import { createLogger, type Logger, recentLines } from "./log.ts";

type Setup = { readonly format: "auto" | "pretty" | "json"; readonly isTTY?: boolean; readonly hasColors?: boolean };

function capture(setup: Setup, speak: (log: Logger) => void): string {
  let text = "";
  const stream = {
    write: (line: string) => {
      text += line;
    },
    isTTY: setup.isTTY,
    hasColors: () => setup.hasColors === true,
  };
  speak(createLogger({ level: "trace", format: setup.format }, stream));
  return text;
}

const CANARY = "canary-5e1f";
const request = {
  id: "r1",
  method: "GET",
  url: `/v3/devices?token=${CANARY}`,
  headers: { "x-service-auth-token": CANARY },
  body: { password: CANARY },
};

test.each<[string, (log: Logger) => void]>([
  ["a request", (log) => log.info({ req: request }, "in")],
  ["a request under its long name", (log) => log.info({ request }, "in")],
  ["headers on their own", (log) => log.info({ headers: request.headers })],
  ["a wrapped secret", (log) => log.info({ some: new Secret(CANARY) }, `with ${new Secret(CANARY)}`)],
  ["a key that sounds secret", (log) => log.warn({ config: { deep: { cloudToken: CANARY } } })],
  ["a child's bindings", (log) => log.child({ password: CANARY }).info("hello")],
  [
    "a grandchild's bindings",
    (log) =>
      log
        .child({ a: 1 })
        .child({ mqtt: { secret: CANARY } })
        .info("hello"),
  ],
  ["a token in the message", (log) => log.info(`refused bb_0123456789abcdef${CANARY}`)],
  ["a token put into the message", (log) => log.info("refused %s", `bb_0123456789abcdef${CANARY}`)],
  ["an address in an error", (log) => log.error(new Error(`no route to postgres://busbar:${CANARY}@db/x`))],
  ["the fields of an error", (log) => log.error(Object.assign(new Error("no"), { credentials: { key: CANARY } }))],
])("%s is logged without its secret, as JSON and as text", (_what, speak) => {
  for (const format of ["json", "pretty"] as const) {
    const text = capture({ format }, speak);
    expect(text).not.toContain("canary");
    expect(text).toMatch(/\n$/);
  }
});

test("JSON lines carry level, time, subject, fields and message", () => {
  const text = capture({ format: "json" }, (log) => log.child({ subject: "http" }).info({ port: 8080 }, "listening"));
  expect(JSON.parse(text)).toEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    subject: "http",
    port: 8080,
    msg: "listening",
  });
});

test("a request is logged by id, method and path only", () => {
  const text = capture({ format: "json" }, (log) => log.info({ req: request }));
  expect(JSON.parse(text).req).toEqual({ id: "r1", method: "GET", path: "/v3/devices" });
});

test.each<[Setup, RegExp]>([
  [{ format: "auto", isTTY: true }, /^\d\d:\d\d:\d\d\.\d{3} INFO {2}http listening port=8080 at="a b"\n$/],
  [{ format: "auto", isTTY: false }, /^\{.*\}\n$/],
  [{ format: "pretty", isTTY: false }, /^\d\d:\d\d.* listening/],
  [{ format: "json", isTTY: true }, /^\{.*\}\n$/],
])("%j writes lines like %s", (setup, expected) => {
  expect(capture(setup, (log) => log.info({ subject: "http", port: 8080, at: "a b" }, "listening"))).toMatch(expected);
});

test("colours appear only where the stream has them", () => {
  const speak = (log: Logger) => log.warn("careful");
  expect(capture({ format: "pretty", hasColors: true }, speak)).toContain("\u001b[33mWARN");
  expect(capture({ format: "pretty", hasColors: false }, speak)).not.toContain("\u001b");
});

test("text from outside can neither start a new line nor drive the terminal", () => {
  const text = capture({ format: "pretty" }, (log) =>
    log.info({ name: "a\n00:00:00.000 FATAL faked", ["k\u001b[2J"]: "\u001b[2J" }, "b\r\n\u001b[31mred"),
  );
  expect(text.split("\n")).toHaveLength(2);
  expect(text).not.toContain("\u001b");
});

test("an error shows its message on the line and its stack below", () => {
  const text = capture({ format: "pretty" }, (log) => log.error({ err: new Error("disk full") }, "cannot write"));
  const [first, second] = text.split("\n");
  expect(first).toMatch(/ERROR cannot write disk full$/);
  expect(second).toMatch(/^ {4}at /);
});

test("messages below the level are not written", () => {
  let text = "";
  const log = createLogger({ level: "warn", format: "json" }, { write: (line) => (text += line) });
  log.info("quiet");
  log.warn("loud");
  expect(text.trim().split("\n")).toHaveLength(1);
});

test("a log that cannot be written ends nothing, and says how much is missing once it can", () => {
  let isFull = false;
  let text = "";
  const stream = {
    write: (line: string) => {
      if (isFull) throw new Error("ENOSPC: no space left on device, write");
      text += line;
    },
  };
  const log = createLogger({ level: "info", format: "json" }, stream);
  log.info("one");
  isFull = true;
  log.info("two");
  log.info("three");
  isFull = false;
  log.info("four");
  const lines = text.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: "one" },
    { level: "warn", lines: 2, msg: "lines of the log could not be written" },
    { msg: "four" },
  ]);
});

test("the latest lines are kept, without secrets, of level info and above, and no more than 300", () => {
  const log = createLogger({ level: "trace", format: "json" }, { write: () => true });
  log.debug("not kept");
  log.child({ subject: "http" }).warn({ req: request, token: CANARY, long: "x".repeat(10_000) }, "refused");
  const [line] = recentLines(log);
  expect(line).toMatchObject({ level: "warn", subject: "http", message: "refused" });
  expect(line?.details.length).toBe(2_000);
  expect(JSON.stringify(line)).not.toContain(CANARY);
  for (let n = 0; n < 400; n++) log.info(`line ${n}`);
  expect(recentLines(log).map(({ message }) => message)).toEqual(
    Array.from({ length: 300 }, (_, n) => `line ${n + 100}`),
  );
});
