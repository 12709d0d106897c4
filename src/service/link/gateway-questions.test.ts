// What a gateway answers, or does not, when its cloud asks.
import { expect, test, vi } from "vitest";
import { QUESTIONS, type QuestionOutcome } from "#core/link/asked-question.ts";
import type { DownMessage } from "#core/link/messages.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { callBy } from "../../../test/support/calls.ts";
import { createGatewayQuestions, type GatewayQuestionNeeds } from "./gateway-questions.ts";

const NEVER = new AbortController().signal;
const CALL = callBy("readonly");

/** Gateways `g` and `other`. Time passes only when a test says so. */
function openQuestions() {
  const ends: (() => void)[] = [];
  let ids = 0;
  const gateways = { id: "g", name: "North", version: "1", protocol: "1.6", isConnected: true };
  const needs = {
    questions: {},
    gateways: { find: async (id: string) => ({ ...gateways, id, name: id === "g" ? "North" : "Other" }) },
    seal: {},
    nodes: oneNode(),
    now: () => 0,
    newId: () => `q${++ids}`,
    pause: async (_ms: number, signal: AbortSignal) => {
      await new Promise<void>((resolve) => {
        ends.push(resolve);
        signal.addEventListener("abort", () => resolve());
      });
    },
  } as unknown as GatewayQuestionNeeds;
  const questions = createGatewayQuestions(needs);
  const sent: Extract<DownMessage, { type: "question" }>[] = [];
  const send = async (message: DownMessage) => {
    if (message.type === "question") sent.push(message);
  };
  const lane = questions.open({ gatewayId: "g", send });
  const other = questions.open({ gatewayId: "other", send });
  const ask = (gatewayId = "g") =>
    questions.ask(CALL, {
      gatewayId,
      operation: "listRuleTraces",
      params: {},
      query: {},
      body: undefined,
      signal: NEVER,
    });
  const isSent = async (count: number) => {
    await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(count), { timeout: 5_000, interval: 1 });
  };
  const reply = (from: typeof lane, id: string, outcome: unknown) =>
    from.replied({ type: "reply", id, outcome: outcome as QuestionOutcome });
  const timeIsOver = () => {
    for (const end of ends.splice(0)) end();
  };
  return { ask, isSent, reply, lane, other, timeIsOver };
}

test("an answer counts when it comes from the gateway that was asked, once", async () => {
  const { ask, isSent, reply, lane, other } = openQuestions();
  const answer = ask();
  await isSent(1);
  // Another gateway guesses the number of the question, and this one answers what nobody has asked.
  reply(other, "q1", { state: "DONE", answer: { traces: ["of another gateway"] } });
  reply(lane, "q7", { state: "DONE", answer: { traces: ["of no question"] } });
  reply(lane, "q1", { state: "DONE", answer: { traces: ["own"] } });
  reply(lane, "q1", { state: "DONE", answer: { traces: ["second thoughts"] } });
  expect(await answer).toEqual({ traces: ["own"] });
});

test.each<[string, unknown, string, string]>([
  [
    "too large",
    { state: "DONE", answer: { text: "x".repeat(2_000_000) } },
    "gateway_unreachable",
    "larger than 1048576 bytes",
  ],
  [
    "of too many values",
    { state: "DONE", answer: { all: Array(50_000).fill(0) } },
    "gateway_unreachable",
    "the answer of the gateway North is",
  ],
  ["a refusal without a reason", { state: "REFUSED", errors: [] }, "conflict", "the gateway refuses to answer"],
  ["a refusal", { state: "REFUSED", errors: [{ code: "not_found", message: "no rule" }] }, "not_found", "no rule"],
])("an answer that is %s is refused with words", async (_what, outcome, code, words) => {
  const { ask, isSent, reply, lane } = openQuestions();
  const answer = ask();
  await isSent(1);
  reply(lane, "q1", outcome);
  await expect(answer).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
});

test("a gateway that does not answer, or goes, keeps nobody waiting", async () => {
  const { ask, isSent, lane, timeIsOver } = openQuestions();
  const [late, left] = [ask(), ask("other")];
  await isSent(2);
  timeIsOver();
  await expect(late).rejects.toMatchObject({ code: "gateway_unreachable" });
  await expect(left).rejects.toThrow("the gateway Other has not answered in time");
  const third = ask();
  await isSent(3);
  lane.close();
  await expect(third).rejects.toMatchObject({ code: "gateway_unreachable" });
});

test("one caller has a bounded number of questions to a gateway, and others of it answer all the same", async () => {
  const { ask, isSent, reply, other, timeIsOver } = openQuestions();
  const many = Array.from({ length: QUESTIONS.slotsPerKey + QUESTIONS.waitingPerKey }, () => ask());
  for (const one of many) one.catch(() => {});
  await isSent(QUESTIONS.slotsPerKey);
  await expect(ask()).rejects.toMatchObject({ code: "overloaded" });
  const elsewhere = ask("other");
  await isSent(QUESTIONS.slotsPerKey + 1);
  reply(other, `q${QUESTIONS.slotsPerKey + 1}`, { state: "DONE", answer: {} });
  expect(await elsewhere).toEqual({});
  timeIsOver();
  await expect(Promise.all(many)).rejects.toMatchObject({ code: "gateway_unreachable" });
});
