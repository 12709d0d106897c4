// Answers what the cloud asks for its callers, on the gateway. Each question is a call of a reading operation with the level and the
// sites of who asks, so it gets what that caller would get here, and refusals are in the audit log as those of other calls.
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import { type AskedQuestion, answerExcess, QUESTIONS, type QuestionOutcome } from "#core/link/asked-question.ts";
import { createFairShare, type Leave } from "#core/share/fair-share.ts";
import type { Line } from "#service/link/line.ts";
import type { Operations } from "#service/operation/perform.ts";

export interface AnswerQuestionsNeeds {
  readonly operations: Pick<Operations, "perform" | "carried" | "asked">;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: { warn(about: object, text: string): void };
}

export interface AnsweredQuestions {
  /** Resolves when it is answered. */
  add(question: AskedQuestion): Promise<void>;
}

const FAULT: Refusal = { code: "internal", message: "a fault on the gateway; its log has the details" };

export function answerQuestions(needs: AnswerQuestionsNeeds, line: Pick<Line, "send" | "signal">): AnsweredQuestions {
  const share = createFairShare(QUESTIONS);

  /** A place among the questions. Refuses when too many wait, or when the deadline comes first. */
  async function enter({ asker, patienceMs }: AskedQuestion): Promise<Leave> {
    const over = new AbortController();
    void needs.pause(patienceMs, over.signal).then(() => over.abort());
    try {
      const leave = await share.enter(asker.tokenId, AbortSignal.any([over.signal, line.signal]));
      if (leave !== undefined) return leave;
    } catch {
      throw refuse("gateway_unreachable", "the gateway did not come to the question in time");
    } finally {
      over.abort();
    }
    throw refuse("overloaded", "too many questions are under way; ask again in a moment");
  }

  async function answerTo(question: AskedQuestion): Promise<Payload> {
    const { operation, params, query, body, asker, requestId } = question;
    if ((await needs.operations.asked(operation)) === undefined) {
      throw refuse("not_available", `this gateway does not know ${operation.slice(0, 80)}`);
    }
    const leave = await enter(question);
    try {
      const { tokenId, tokenName, level, sites } = asker;
      const caller = { tokenId, tokenName, level, sites: sites === "all" ? sites : new Set(sites) };
      const call = { caller, operation, requestId, remoteAddress: "cloud", door: "cloud" as const };
      const answer = (await needs.operations.perform(call, operation, { params, query, body })) as Payload;
      const excess = answerExcess(answer);
      if (excess === undefined) return answer;
      throw refuse("not_available", `the answer is ${excess}, and does not travel to the cloud; ask for less`);
    } finally {
      leave();
    }
  }

  async function outcomeOf(question: AskedQuestion): Promise<QuestionOutcome> {
    try {
      return { state: "DONE", answer: await answerTo(question) };
    } catch (error) {
      if (error instanceof AppError) return { state: "REFUSED", errors: error.refusals };
      needs.log.warn({ operation: question.operation, err: error }, "a question of the cloud failed");
      return { state: "REFUSED", errors: [FAULT] };
    }
  }

  return {
    async add(question) {
      const outcome = await outcomeOf(question);
      if (!line.signal.aborted) await line.send({ type: "reply", id: question.id, outcome });
    },
  };
}
