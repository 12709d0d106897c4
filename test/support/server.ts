// A whole Busbar in this process, on a free port and a data folder of its own, and a small client that holds every
// answer against the OpenAPI document. A test file that makes the server log a fault fails when it ends.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { ErrorItem } from "#client/errors.ts";
import { loadConfig } from "#config";
import { createLogger } from "#log";
import type { Clocks } from "#role/clocks.ts";
import { type Running, start } from "#role/start.ts";
import type { Operations } from "#service/operation/perform.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { type CheckAnswer, checkAnswerOf, type Operation, operationsOf } from "./check-answer.ts";

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly content: ArrayBuffer;
  /** The JSON of the answer; what it is depends on `status`. */
  readonly body: Body;
  /** The refusals; empty when there are none. */
  readonly errors: readonly ErrorItem[];
}

export interface CallOptions {
  readonly json?: unknown;
  readonly bytes?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Calls with one token, or without any. */
export interface Session {
  call<Body = unknown>(method: string, path: string, options?: CallOptions): Promise<Answer<Body>>;
  get<Body = unknown>(path: string, options?: CallOptions): Promise<Answer<Body>>;
  post<Body = unknown>(path: string, json: unknown, options?: CallOptions): Promise<Answer<Body>>;
  patch<Body = unknown>(path: string, json: unknown, options?: CallOptions): Promise<Answer<Body>>;
  put<Body = unknown>(path: string, json: unknown, options?: CallOptions): Promise<Answer<Body>>;
  delete<Body = unknown>(path: string, options?: CallOptions): Promise<Answer<Body>>;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly mqttPort: number | undefined;
  readonly data: string;
  readonly adminToken: string;
  readonly admin: Session;
  readonly anonymous: Session;
  readonly operations: readonly Operation[];
  /** Performs an operation without HTTP. */
  readonly perform: Operations["perform"];
  readonly document: Readonly<Record<string, unknown>>;
  /** Everything the server logged. */
  readonly log: string;
  as(token: string): Session;
  /** A new token's text. */
  token(grant: object): Promise<string>;
  /** Stops the server, hands over its records, and starts it again. */
  withRecords(task: (records: RecordStore) => Promise<void>): Promise<void>;
  /** With flags and variables more than those it had at first. */
  restart(more?: readonly string[], moreEnv?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

export const ADMIN_TOKEN = "test-admin-token-test-admin-token-test";

interface ServerOptions {
  /** Faults in the log that the tests of the file bring about. */
  readonly provoked?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
  /** In place of the real clocks. */
  readonly clocks?: Clocks;
}

/** One server for all tests of the file; its settings as flags, for example `["--demo"]`. */
export function useServer(
  flags: readonly string[] = [],
  { env = { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN }, clocks, provoked }: ServerOptions = {},
): TestServer {
  const data = mkdtempSync(join(tmpdir(), "busbar-api-"));
  let running: Running | undefined;
  let log = "";
  let document: Readonly<Record<string, unknown>> = {};
  let check: CheckAnswer = () => {};

  async function open(more: readonly string[] = [], moreEnv: Readonly<Record<string, string>> = {}): Promise<void> {
    const { config } = await loadConfig({
      flags: ["--data", data, ...defaults([...flags, ...more]), ...flags, ...more],
      env: { ...env, ...moreEnv },
      cwd: data,
      readFile: () => undefined,
    });
    const stream = { write: (line: string) => (log += line) };
    const onFault = (error: Error) => {
      throw error;
    };
    running = await start(config, createLogger({ ...config.log, format: "json" }, stream), onFault, clocks);
    const text = await (await fetch(`${running.url}/openapi.json`)).text();
    document = JSON.parse(text) as typeof document;
    // Servers differ in their address alone, and compiling the schemas of a document takes longer than most tests do.
    check = checkAnswerOf(text.replaceAll(running.url, "http://localhost"));
  }

  async function stop(): Promise<void> {
    const stopped = running;
    running = undefined;
    await stopped?.stop();
  }

  function url(): string {
    if (running === undefined) throw new Error("the server does not run");
    return running.url;
  }

  function session(token: string | undefined): Session {
    const call = async <Body>(method: string, path: string, options: CallOptions = {}): Promise<Answer<Body>> => {
      const body = options.json === undefined ? options.bytes : JSON.stringify(options.json);
      const response = await fetch(url() + path, {
        method,
        headers: { ...(token !== undefined && headersWith(token)), ...options.headers },
        ...(body !== undefined && { body: Buffer.from(body as string) }),
        ...(options.signal && { signal: options.signal }),
      });
      const { status, headers } = response;
      const isEndless = headers.get("content-type") === "text/event-stream";
      const content = isEndless ? new ArrayBuffer(0) : await response.arrayBuffer();
      const text = new TextDecoder().decode(content);
      if (isEndless) await response.body?.cancel();
      check({ method, path, status, headers, text });
      const isJson = headers.get("content-type") === "application/json" && text !== "";
      const parsed = isJson ? (JSON.parse(text) as Body & { errors?: readonly ErrorItem[] }) : undefined;
      const errors = status === 200 ? [] : (parsed?.errors ?? []);
      return { status, headers, text, content, body: parsed as Body, errors };
    };
    return {
      call,
      get: (path, options) => call("GET", path, options),
      post: (path, json, options) => call("POST", path, { json, ...options }),
      patch: (path, json, options) => call("PATCH", path, { json, ...options }),
      put: (path, json, options) => call("PUT", path, { json, ...options }),
      delete: (path, options) => call("DELETE", path, options),
    };
  }

  const admin = session(ADMIN_TOKEN);
  beforeAll(() => open());
  afterAll(async () => {
    await stop();
    rmSync(data, { recursive: true, force: true });
    const faults = log
      .split("\n")
      .filter((line) => /"level":"(error|fatal)"/.test(line) && provoked?.test(line) !== true);
    expect(faults, "faults in the server's log").toEqual([]);
  });

  return {
    get url() {
      return url();
    },
    get port() {
      return Number(new URL(url()).port);
    },
    get mqttPort() {
      return running?.mqttPort;
    },
    get document() {
      return document;
    },
    get operations() {
      return operationsOf(document);
    },
    async perform(call, name, input) {
      if (running === undefined) throw new Error("the server does not run");
      return await running.operations.perform(call, name, input);
    },
    get log() {
      return log;
    },
    data,
    adminToken: ADMIN_TOKEN,
    admin,
    anonymous: session(undefined),
    as: session,
    async token(grant) {
      const { body } = await admin.post<{ token: string }>("/v3/tokens", { name: "test", level: "readonly", ...grant });
      return body.token;
    },
    async withRecords(task) {
      await stop();
      const records = await openRecords(data, (error) => {
        throw error;
      });
      try {
        await task(records);
      } finally {
        await records.close();
      }
      await open();
    },
    async restart(more, moreEnv) {
      await stop();
      await open(more, moreEnv);
    },
    stop,
  };
}

/** A program need not say where it comes from; sign-in wants to know. */
function headersWith(token: string): Readonly<Record<string, string>> {
  return { "X-Service-Auth-Token": token, "Sec-Fetch-Site": "same-origin" };
}

/** A flag may be given once only, so a default stands back where the test sets it. */
function defaults(flags: readonly string[]): readonly string[] {
  const all = [
    ["--port", "0"],
    ["--mqtt-port", "off"],
    // Whether somebody has built the page must not matter.
    ["--no-http-page"],
    ["--http-wrong-token-limit", "1000000"],
    // Both sides of a link run on one machine.
    ["--link-allow-local"],
  ];
  return all.filter(([name = ""]) => !flags.includes(name.replace("--no-", "--"))).flat();
}

export function readExample(name: string): Buffer {
  return readFileSync(new URL(`../../examples/blueprints/${name}/manifest.yml`, import.meta.url));
}
