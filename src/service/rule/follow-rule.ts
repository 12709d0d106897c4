// New lines of a rule's log, as they come: from the records here, or from the gateway that runs the rule, which is asked for them
// again and again. While that is away nothing comes, and what it logged meanwhile follows.
import type { Readable } from "node:stream";
import { AppError, type ErrorCode } from "#core/app-error.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { GatewayQuestions } from "#service/link/gateway-questions.ts";
import { wholeNumber } from "#service/operation/query.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type Following, LINES_AT_ONCE, type LogLines, type RuleLog, type SentLine } from "./rule-log.ts";
import { renderLogLine } from "./rule-wire.ts";

export interface FollowNeeds extends Pick<Needs, "rules"> {
  readonly ruleLog: Pick<RuleLog, "follow">;
  /** In a cloud. */
  readonly gatewayQuestions: Pick<GatewayQuestions, "ask"> | undefined;
}

const LOOK_MS = 500;
/** A gateway has several rules, and several people look at them. */
const ASK_MS = 2_000;

export const after = wholeNumber("Only lines with a higher sequence, oldest first, and at most 100 of them.");

/** The oldest lines after one of them. */
export async function linesAfter(
  { rules }: Pick<Needs, "rules">,
  ruleId: string,
  {
    after: sequence = 0,
    limit = LINES_AT_ONCE,
  }: { readonly after?: number | undefined; readonly limit?: number | undefined },
): Promise<object> {
  const lines = await rules.logAfter(ruleId, sequence, Math.min(limit, LINES_AT_ONCE));
  return { logs: lines.map(renderLogLine), total_count: lines.length };
}

interface Followed {
  readonly rule: Pick<SiteRule, "id" | "siteId">;
  /** The gateway that runs it; undefined: it runs here. */
  readonly gatewayId: string | undefined;
}

export async function followRule(
  needs: FollowNeeds,
  call: Call & Following,
  { rule, gatewayId }: Followed,
): Promise<Readable> {
  const { gatewayQuestions: questions } = needs;
  const isHere = gatewayId === undefined || questions === undefined;
  return await needs.ruleLog.follow(
    call,
    isHere ? linesHere(needs, rule.id) : linesThere(needs, questions, { call, rule, gatewayId }),
  );
}

function linesHere({ rules }: Pick<Needs, "rules">, ruleId: string): LogLines {
  return {
    lookMs: LOOK_MS,
    last: () => rules.lastSequence(ruleId),
    async after(sequence) {
      const lines = await rules.logAfter(ruleId, sequence, LINES_AT_ONCE);
      if (lines.length === 0 && (await rules.slugOf(ruleId)) === undefined) return undefined;
      return lines.map(renderLogLine);
    },
  };
}

interface There {
  readonly call: Call & Following;
  readonly rule: Pick<SiteRule, "id" | "siteId">;
  readonly gatewayId: string;
}

/** These pass: the gateway is away, or has much to do. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["gateway_unreachable", "overloaded"]);

function linesThere(
  { rules }: Pick<Needs, "rules">,
  questions: Pick<GatewayQuestions, "ask">,
  { call, rule: { id, siteId }, gatewayId }: There,
): LogLines {
  async function read(query: Readonly<Record<string, string>>): Promise<readonly SentLine[]> {
    const answer = await questions.ask(call, {
      gatewayId,
      operation: "listRuleLogs",
      params: { site_id: siteId, rule: id },
      query,
      body: undefined,
      signal: call.signal(),
    });
    return parseLines(answer["logs"]);
  }
  return {
    lookMs: ASK_MS,
    last: async () => (await read({ limit: "1" }))[0]?.sequence ?? 0,
    async after(sequence) {
      if ((await rules.find(siteId, id)) === undefined) return undefined;
      try {
        const lines = await read({ after: String(sequence) });
        // A gateway is not trusted: lines that came before would come for ever.
        return lines.filter((line) => line.sequence > sequence).slice(0, LINES_AT_ONCE);
      } catch (error) {
        if (error instanceof AppError && PASSING.has(error.code)) return [];
        return undefined;
      }
    },
  };
}

/** Lines as this version sends them; anything else is left out. */
function parseLines(value: unknown): readonly SentLine[] {
  return (Array.isArray(value) ? value : []).flatMap((line: Readonly<Record<string, unknown>>) => {
    const { sequence, timestamp, severity, message } = line ?? {};
    const isLine = Number.isSafeInteger(sequence) && Number.isSafeInteger(timestamp) && typeof message === "string";
    return isLine ? [{ sequence: sequence as number, timestamp, severity: String(severity), message }] : [];
  });
}
