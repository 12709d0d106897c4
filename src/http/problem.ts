// Turns a refusal into an HTTP answer. Contains the one table from code to status.
import { AppError, type ErrorCode, type Refusal } from "#core/app-error.ts";

export const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_json: 400,
  invalid_body: 400,
  invalid_query: 400,
  invalid_request: 400,
  request_timeout: 408,
  invalid_arguments: 400,
  invalid_configuration: 400,
  invalid_blueprint: 400,
  unauthorized: 401,
  forbidden: 403,
  foreign_origin: 403,
  not_found: 404,
  command_not_found: 404,
  device_not_found: 404,
  attribute_not_found: 404,
  "telemetrypersistence/NO_TELEMETRY_ATTRIBUTES_FOUND": 404,
  unprocessable_entity: 404,
  no_data: 404,
  route_not_found: 404,
  conflict: 409,
  interlocked: 409,
  slug_taken: 409,
  slug_ambiguous: 409,
  not_cancellable: 409,
  idempotency_conflict: 409,
  body_too_large: 413,
  too_many_wrong_tokens: 429,
  too_many_sign_ins: 429,
  too_many_streams: 429,
  queue_full: 429,
  too_many_calls: 429,
  overloaded: 503,
  storage_full: 503,
  storage_unavailable: 503,
  storage_damaged: 503,
  shutting_down: 503,
  owned_by_gateway: 409,
  gateway_unreachable: 503,
  overruled: 409,
  cloud_unreachable: 409,
  provider_unreachable: 503,
  not_available: 409,
  internal: 500,
};

export interface Problem {
  readonly status: number;
  readonly body: { readonly errors: readonly Refusal[] };
  readonly retryAfter: number | undefined;
}

/** One answer may hold refusals of several statuses. These take precedence over all others, in this order. */
const GRAVEST_FIRST: readonly number[] = [401, 403, 404];

/** Anything that is not a refusal is a fault, and a fault reveals nothing about itself. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AppError) {
    const status = gravestStatus(error);
    const retryAfter = error.retryAfter ?? (status === 429 || status === 503 ? 1 : undefined);
    return { status, body: { errors: error.refusals }, retryAfter };
  }
  return {
    status: 500,
    body: {
      errors: [{ code: "internal", message: "a fault in Busbar; its log has the details under the request id" }],
    },
    retryAfter: undefined,
  };
}

function gravestStatus({ code, refusals }: AppError): number {
  const statuses = refusals.map((refusal) => STATUS[refusal.code]);
  return GRAVEST_FIRST.find((status) => statuses.includes(status)) ?? STATUS[code];
}
