// What this cloud asks its gateways: reading operations that nobody has copies for. A question goes over the connection of its
// gateway, or through the records to the node that has it. It is answered within its deadline or not at all.
import { AppError, refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import {
  type AskedQuestion,
  answerExcess,
  LONGEST_PATIENCE_MS,
  PATIENCE_MS,
  QUESTIONS,
  type QuestionOutcome,
} from "#core/link/asked-question.ts";
import type { Gateway } from "#core/link/gateway.ts";
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import { parseAskedQuestion, parseQuestionOutcome } from "#core/link/parse-change.ts";
import { takesRules } from "#core/link/protocol.ts";
import { createFairShare, type FairShare, type Leave } from "#core/share/fair-share.ts";
import { instant } from "#core/time/instant.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface GatewayQuestionNeeds extends Pick<Needs, "questions" | "gateways" | "seal" | "now" | "newId"> {
  readonly nodes: Pick<Nodes, "isShared" | "broadcast">;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface NewQuestion extends Pick<AskedQuestion, "operation" | "params" | "query" | "body"> {
  readonly gatewayId: string;
  readonly withinMs?: number | undefined;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** One connection, as far as questions need it. */
interface Line {
  readonly gatewayId: string;
  send(message: DownMessage): Promise<void>;
}

export interface QuestionLane {
  replied(message: Extract<UpMessage, { type: "reply" }>): void;
  close(): void;
}

export interface GatewayQuestions {
  /** Refuses with `gateway_unreachable` while the gateway is away, or when it does not answer in time. */
  ask(call: Call, question: NewQuestion): Promise<Payload>;
  /** From now on questions go over this line. */
  open(line: Line): QuestionLane;
  /** Another node has stored a question for the gateway. */
  waits(gatewayId: string, id: string): Promise<void>;
  /** Another node has stored its answer. */
  answered(id: string): void;
}

/** Messages between nodes may be lost. */
const LOOK_AGAIN_MS = 500;

type Ask = (question: AskedQuestion) => Promise<QuestionOutcome | undefined>;

export function createGatewayQuestions(needs: GatewayQuestionNeeds): GatewayQuestions {
  const lanes = new Map<string, Ask>();
  const shares = new Map<string, FairShare>();
  const waiting = new Map<string, () => void>();

  async function enter(gateway: Gateway, key: string, signal: AbortSignal): Promise<Leave> {
    const share = shares.get(gateway.id) ?? createFairShare(QUESTIONS);
    shares.set(gateway.id, share);
    try {
      const leave = await share.enter(key, signal);
      if (leave !== undefined) {
        return () => {
          leave();
          if (share.inside === 0) shares.delete(gateway.id);
        };
      }
    } catch {
      throw late(gateway);
    }
    const message = `too many questions to the gateway ${gateway.name} are under way; ask again in a moment`;
    throw new AppError([{ code: "overloaded", message }], 1);
  }

  async function ask(call: Call, asked: NewQuestion): Promise<Payload> {
    const gateway = await reachable(needs, asked.gatewayId);
    const patienceMs = Math.min(asked.withinMs ?? PATIENCE_MS, LONGEST_PATIENCE_MS);
    const deadline = needs.now() + patienceMs;
    const over = new AbortController();
    void needs.pause(patienceMs, over.signal).then(() => over.abort());
    const signal = AbortSignal.any([over.signal, asked.signal]);
    try {
      const leave = await enter(gateway, call.caller.tokenId, signal);
      const { operation, params, query, body } = asked;
      const { tokenId, tokenName, level, sites } = call.caller;
      const asking = travel(gateway.id, signal, {
        id: needs.newId(),
        operation,
        params,
        query,
        body,
        asker: { tokenId, tokenName, level, sites: sites === "all" ? ("all" as const) : [...sites] },
        requestId: call.requestId,
        patienceMs: Math.max(1, deadline - needs.now()),
      }).finally(leave);
      return answerOf(gateway, await unlessOver(asking, signal));
    } finally {
      over.abort();
    }
  }

  /** Undefined: there was no answer in time. */
  async function travel(
    gatewayId: string,
    signal: AbortSignal,
    question: AskedQuestion,
  ): Promise<QuestionOutcome | undefined> {
    const here = lanes.get(gatewayId);
    if (here !== undefined) return await here(question);
    return needs.nodes.isShared ? await throughRecords(gatewayId, signal, question) : undefined;
  }

  async function throughRecords(
    gatewayId: string,
    signal: AbortSignal,
    question: AskedQuestion,
  ): Promise<QuestionOutcome | undefined> {
    const { id, patienceMs } = question;
    await needs.questions.put({
      id,
      gatewayId,
      content: needs.seal.seal(JSON.stringify(question), contextOf(id)),
      expiresAt: instant(needs.now() + patienceMs),
    });
    try {
      while (!signal.aborted) {
        needs.nodes.broadcast({ kind: "question", has: "waits", gatewayId, id });
        await answeredOrLater(id, signal);
        const sealed = await needs.questions.answer(id);
        if (sealed !== undefined) {
          return parseQuestionOutcome(JSON.parse(needs.seal.open(sealed, contextOf(id))));
        }
      }
      return undefined;
    } finally {
      await needs.questions.delete(id);
    }
  }

  /** Resolves with the answer of another node, after a while, or when nobody waits any longer. */
  async function answeredOrLater(id: string, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    waiting.set(id, () => end.abort());
    await needs.pause(LOOK_AGAIN_MS, AbortSignal.any([signal, end.signal]));
    waiting.delete(id);
  }

  function open({ gatewayId, send }: Line): QuestionLane {
    const open = new Map<string, (outcome: QuestionOutcome | undefined) => void>();
    const put: Ask = async (question) => {
      const answered = Promise.withResolvers<QuestionOutcome | undefined>();
      open.set(question.id, answered.resolve);
      const over = new AbortController();
      void needs.pause(question.patienceMs, over.signal).then(() => answered.resolve(undefined));
      try {
        await send({ type: "question", question });
        return await answered.promise;
      } catch {
        // The line has ended.
        return undefined;
      } finally {
        over.abort();
        open.delete(question.id);
      }
    };
    lanes.set(gatewayId, put);
    return {
      replied: ({ id, outcome }) => open.get(id)?.(outcome),
      close() {
        if (lanes.get(gatewayId) === put) lanes.delete(gatewayId);
        for (const resolve of open.values()) resolve(undefined);
      },
    };
  }

  return {
    ask,
    open,
    async waits(gatewayId, id) {
      const put = lanes.get(gatewayId);
      // One node takes it, once.
      const sealed = put && (await needs.questions.take(id));
      if (put === undefined || sealed === undefined) return;
      const question = parseAskedQuestion(JSON.parse(needs.seal.open(sealed, contextOf(id))));
      const outcome = await put(question);
      if (outcome === undefined) return;
      await needs.questions.storeAnswer(id, needs.seal.seal(JSON.stringify(outcome), contextOf(id)));
      needs.nodes.broadcast({ kind: "question", has: "ended", gatewayId, id });
    },
    answered: (id) => waiting.get(id)?.(),
  };
}

/** A gateway that can be asked now. */
async function reachable({ gateways }: Pick<Needs, "gateways">, gatewayId: string): Promise<Gateway> {
  const gateway = await gateways.find(gatewayId);
  if (gateway === undefined || gateway.revokedAt !== undefined) {
    throw refuse("owned_by_gateway", "the site belongs to a gateway whose access was revoked; it cannot be asked");
  }
  const { name, version, protocol } = gateway;
  if (!gateway.isConnected) {
    throw refuse(
      "gateway_unreachable",
      `the gateway ${name} of the site is not connected, and only it knows the answer`,
    );
  }
  if (!takesRules(protocol ?? "")) {
    const why = "which does not answer questions of a cloud; update it";
    throw refuse("not_available", `the gateway ${name} runs Busbar ${version}, ${why}`);
  }
  return gateway;
}

function answerOf(gateway: Gateway, outcome: QuestionOutcome | undefined): Payload {
  if (outcome === undefined) throw late(gateway);
  if (outcome.state === "REFUSED") {
    const [first, ...others] = outcome.errors;
    throw first === undefined ? refuse("conflict", "the gateway refuses to answer") : new AppError([first, ...others]);
  }
  const { answer = {} } = outcome;
  const excess = answerExcess(answer);
  if (excess === undefined) return answer;
  throw refuse("gateway_unreachable", `the answer of the gateway ${gateway.name} is ${excess}`);
}

const late = ({ name }: Gateway) => refuse("gateway_unreachable", `the gateway ${name} has not answered in time`);

/** Undefined when nobody waits any longer. The gateway goes on, and the place is free when it has answered. */
async function unlessOver<Answer>(asking: Promise<Answer>, signal: AbortSignal): Promise<Answer | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    return await Promise.race([asking, promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

const contextOf = (id: string): string => `question ${id}`;
