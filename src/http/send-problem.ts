// A refused or failed call: its answer, its line in the log, and, if a token was refused, its entry in the audit log.

import { isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { AppError, refuse } from "#core/app-error.ts";
import { doorOfRequest } from "#http/door-of-request.ts";
import { lingerAfter } from "#http/linger.ts";
import type { BodyPacer } from "#http/pace-bodies.ts";
import { type Problem, problemOf } from "#http/problem.ts";
import { sendAnswer } from "#http/send-answer.ts";
import { type RecordNeeds, recordRefusal } from "#service/operation/record-refusal.ts";
import type { Needs } from "#service/ports.ts";

export interface ProblemNeeds extends Pick<Needs, "now" | "newId">, RecordNeeds {
  readonly log: Logger;
  readonly pacer: BodyPacer;
}

interface Failure {
  readonly reply: FastifyReply;
  readonly error: unknown;
}

/** `error` may be Fastify's own. */
export async function sendProblem(
  needs: ProblemNeeds,
  request: FastifyRequest,
  { reply, error: thrown }: Failure,
): Promise<FastifyReply> {
  const error = translate(thrown);
  const problem = explain(needs, request, error);
  if (error instanceof AppError) await record(needs, request, error);
  if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
  lingerAfter(request.raw, needs.pacer);
  return sendAnswer(reply, problem.status, problem.body);
}

/** For a call whose headers were sent before it failed: only the body can say so. */
export function renderFailure(needs: ProblemNeeds, request: FastifyRequest, error: unknown): object {
  return explain(needs, request, error).body;
}

/** What the client gets; the log says more to the operator. */
function explain(needs: ProblemNeeds, request: FastifyRequest, error: unknown): Problem {
  const problem = problemOf(error);
  if (problem.status === 500) needs.log.error({ requestId: request.id, err: error }, "a fault in Busbar");
  if (error instanceof AppError && error.code.startsWith("storage_")) {
    // A stop closes the store without waiting for calls whose client has left: that is no fault.
    const level = request.raw.socket.destroyed ? "info" : "error";
    needs.log[level]({ requestId: request.id, code: error.code, err: error.cause }, "the store refused a call");
  }
  return problem;
}

async function record(needs: ProblemNeeds, request: FastifyRequest, error: AppError): Promise<void> {
  const { operation } = request.routeOptions.config as { operation?: string };
  await recordRefusal(
    needs,
    {
      caller: request.caller,
      operation,
      params: (request.params ?? {}) as Readonly<Record<string, string | undefined>>,
      requestId: request.id,
      door: request.caller && doorOfRequest(request, request.caller),
      remoteAddress: isIP(request.ip) === 0 ? "unknown" : request.ip,
    },
    error,
  );
}

/** Fastify adds refusals from version to version. Each says by its status that the client is at fault. */
function isOtherRefusalOfFastify(error: unknown): error is Error {
  if (!(error instanceof Error && "code" in error && "statusCode" in error)) return false;
  const { code, statusCode } = error;
  return typeof code === "string" && code.startsWith("FST_") && Number(statusCode) >= 400 && Number(statusCode) < 500;
}

/** Fastify's own refusals, in our words. Every unknown error stays a fault. */
function translate(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
    case "ECONNRESET":
      return refuse("invalid_request", "the request breaks HTTP: its path, length or content type makes no sense");
    default:
      return isOtherRefusalOfFastify(error) ? refuse("invalid_request", error.message) : error;
  }
}
