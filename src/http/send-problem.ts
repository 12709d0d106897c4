// A refused or failed call: its answer, its line in the log, and, if a token was refused, its entry in the audit log.
import { isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { AuditTarget } from "#core/access/audit-entry.ts";
import { type Caller, seesSite } from "#core/access/caller.ts";
import { AppError, refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { lingerAfter } from "#http/linger.ts";
import type { BodyPacer } from "#http/pace-bodies.ts";
import { type Problem, problemOf } from "#http/problem.ts";
import { sendAnswer } from "#http/send-answer.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { Needs } from "#service/ports.ts";

export interface ProblemNeeds extends Pick<Needs, "now" | "newId"> {
  readonly refusals: Pick<RefusalLog, "note" | "flush">;
  readonly devices: Pick<DeviceStore, "findIn" | "findBySlug">;
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
  if (error instanceof AppError && isRefusal(request, problem.status)) await recordRefusal(needs, request, error);
  if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
  lingerAfter(request.raw, needs.pacer);
  return sendAnswer(reply, problem.status, problem.body);
}

/** For a call whose headers were sent before it failed: only the body can say so. */
export function renderFailure(needs: ProblemNeeds, request: FastifyRequest, error: unknown): object {
  return explain(needs, request, error).body;
}

/** What the client is told; the log tells the operator more. */
function explain(needs: ProblemNeeds, request: FastifyRequest, error: unknown): Problem {
  const problem = problemOf(error);
  if (problem.status === 500) needs.log.error({ requestId: request.id, err: error }, "a fault in Busbar");
  if (error instanceof AppError && error.code.startsWith("storage_")) {
    needs.log.error({ requestId: request.id, code: error.code, err: error.cause }, "the store refused a call");
  }
  return problem;
}

/**
 * Whether somebody was kept out. A token for some sites may not see the others: what it is told does not exist may be
 * hidden from it.
 */
function isRefusal({ caller, routeOptions }: FastifyRequest, status: number): boolean {
  const { operation } = routeOptions.config as { operation?: string };
  const mayBeHidden = status === 404 && operation !== undefined && caller !== undefined && caller.sites !== "all";
  return status === 401 || status === 403 || mayBeHidden;
}

async function recordRefusal(needs: ProblemNeeds, request: FastifyRequest, error: AppError): Promise<void> {
  const { caller } = request;
  const params = (request.params ?? {}) as Readonly<Record<string, string | undefined>>;
  const isFirst = needs.refusals.note({
    caller,
    action: (request.routeOptions.config as { operation?: string }).operation ?? "unknown",
    target: caller === undefined ? {} : await targetOf(needs, caller, params),
    code: error.code,
    message: error.message,
    requestId: request.id,
    remoteAddress: isIP(request.ip) === 0 ? "unknown" : request.ip,
  });
  if (isFirst) await stored(needs);
}

/** A store that does not answer delays no refusal for longer. The entry is stored later, then. */
const STORE_MS = 1_000;

/** Whoever reads the audit log after the answer finds the entry there, on any node. Only counts may come later. */
async function stored({ refusals }: ProblemNeeds): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STORE_MS);
  });
  await Promise.race([refusals.flush().catch(() => {}), late]);
  clearTimeout(timer);
}

/**
 * A site's own people find the entry only if the caller sees the site: nobody writes into a site's log just by naming
 * it.
 */
async function targetOf(
  needs: ProblemNeeds,
  caller: Caller,
  params: Readonly<Record<string, string | undefined>>,
): Promise<AuditTarget> {
  const device = await seenDevice(needs, caller, params["device_id"]);
  const named = params["site_id"];
  const siteId = named !== undefined && seesSite(caller, named) ? named : device?.siteId;
  const deviceId = device?.id ?? params["device_id"];
  return {
    ...(siteId !== undefined && { siteId }),
    ...(deviceId !== undefined && { deviceId }),
    ...(params["token_id"] !== undefined && { tokenId: params["token_id"] }),
  };
}

async function seenDevice(
  needs: ProblemNeeds,
  caller: Caller,
  idOrSlug: string | undefined,
): Promise<Device | undefined> {
  if (idOrSlug === undefined) return undefined;
  try {
    return await visibleDevice(needs, { caller }, idOrSlug);
  } catch {
    return undefined;
  }
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
