import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { refuse } from "#core/app-error.ts";
import { LateAnswer } from "#service/operation/answer.ts";
import { operation } from "#service/operation/operation.ts";
import { head, openBareServer } from "../../test/support/bare-server.ts";
import { PATIENT } from "../../test/support/patient.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A call of a route that answers when asked; `answer` gives the response once its headers are there. */
async function open() {
  const arrived = Promise.withResolvers<void>();
  const work = Promise.withResolvers<object>();
  const late = operation({
    ...head,
    method: "GET",
    path: "/late",
    name: "late",
    run: async () => {
      arrived.resolve();
      return new LateAnswer(work.promise);
    },
  });
  const { port, lines } = await openBareServer([late]);
  const call = request({ port, path: "/late", agent: false });
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  let isAnswered = false;
  answered.then(() => (isAnswered = true)).catch(() => {});
  call.end();
  await arrived.promise;
  return { ...work, lines, call, answered: answered.then(([one]) => one), isAnswered: () => isAnswered };
}

async function next(answer: IncomingMessage): Promise<string> {
  return String((await once(answer, "data"))[0]);
}

async function rest(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of answer) text += String(piece);
  return text;
}

test("an answer within two seconds is sent in one piece", async () => {
  const { answered, resolve } = await open();
  await vi.advanceTimersByTimeAsync(1_999);
  resolve({ a: 1 });
  const answer = await answered;
  expect([answer.statusCode, answer.headers["content-length"], await rest(answer)]).toEqual([200, "7", '{"a":1}']);
});

test("after two seconds the headers are sent, then white space every two seconds, then the JSON", async () => {
  const { answered, isAnswered, resolve } = await open();
  await vi.advanceTimersByTimeAsync(1_999);
  expect(isAnswered()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const answer = await answered;
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "application/json"]);
  let text = await next(answer);
  for (let n = 0; n < 9; n++) {
    const more = next(answer);
    await vi.advanceTimersByTimeAsync(2_000);
    text += await more;
  }
  expect(text).toBe(" ".repeat(10));
  resolve({ execution: { state: "SUCCESS" } });
  expect(JSON.parse(text + (await rest(answer)))).toEqual({ execution: { state: "SUCCESS" } });
});

test.each([
  ["a refusal", refuse("not_found", "it was deleted"), "not_found"],
  ["a fault", new Error("secret details"), "internal"],
])("%s after the headers is reported in the body, and a fault is logged", async (_, error, code) => {
  const { answered, reject, lines } = await open();
  await vi.advanceTimersByTimeAsync(2_000);
  const answer = await answered;
  reject(error);
  const body = await rest(answer);
  expect(JSON.parse(body)).toMatchObject({ errors: [{ code }] });
  expect([body.includes("secret details"), lines.length]).toEqual([false, code === "internal" ? 1 : 0]);
});

test("a client that has left ends the white space", async () => {
  const { answered, call, resolve } = await open();
  await vi.advanceTimersByTimeAsync(2_000);
  const answer = await answered;
  const closed = new Promise((resolve) => answer.on("error", () => {}).on("close", resolve));
  call.on("error", () => {}).destroy();
  await closed;
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0), PATIENT);
  resolve({});
});
