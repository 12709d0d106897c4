// Every way an operation can be refused. docs/errors.md lists the same codes; a test compares the two.
export const ERROR_CODES = {
  invalid_json: "The body is not JSON.",
  invalid_body: "The body does not fit the schema of the operation.",
  invalid_query: "A query parameter is unknown or its value does not fit.",
  invalid_request: "The request breaks HTTP itself or one of its limits.",
  request_timeout: "The request did not arrive in time.",
  invalid_arguments: "An argument of the command is unknown, missing or does not fit its declaration.",
  invalid_configuration: "A configuration parameter is unknown, missing or does not fit its declaration.",
  invalid_blueprint: "The uploaded package, manifest or profiles have errors.",
  unauthorized: "The token is missing, unknown, expired or revoked.",
  forbidden: "The token's level or sites do not allow this operation.",
  foreign_origin: "The call uses the session of a browser, and it does not come from a page of this server.",
  not_found: "There is no such thing, or the token does not see it.",
  command_not_found: "The device's blueprint does not have this command.",
  device_not_found: "There is no such device, or the token does not see it.",
  attribute_not_found: "The device's blueprint does not have this telemetry attribute.",
  "telemetrypersistence/NO_TELEMETRY_ATTRIBUTES_FOUND":
    "Only on /v3/telemetry/query_timeseries: a requested device or attribute does not exist.",
  unprocessable_entity:
    "Only on /telemetry/v1/timeseries, to callers of another header family than X-Service: a requested device or attribute does not exist.",
  no_data: "The attribute is declared, but the device has not sent it yet.",
  route_not_found: "No operation has this method and path.",
  conflict: "The operation conflicts with the stored data.",
  interlocked:
    "An interlock of the site does not allow this value; the details name it and the value that it would allow.",
  slug_taken: "Another device, or another rule, of the site has this slug.",
  slug_ambiguous: "Several visible devices have this slug; use the id.",
  not_cancellable: "The execution has ended, or its command has begun and cannot be cancelled.",
  idempotency_conflict: "The idempotency key was used with another request.",
  body_too_large: "The body is larger than 1 MiB.",
  too_many_wrong_tokens: "Too many wrong tokens came from this address.",
  too_many_sign_ins: "Too many wrong passwords or codes came for this person or from this address.",
  too_many_streams: "The token or its address has too many event streams open.",
  queue_full: "Too many executions of the device or of its site are still open.",
  too_many_calls: "The token, or without one the address, has too many calls under way.",
  overloaded: "The service has more work than it can take now.",
  storage_full: "The disk that holds the records is full.",
  storage_unavailable: "The records cannot be written now.",
  storage_damaged: "The requested telemetry or view is damaged on disk; the details name the place.",
  shutting_down: "The service is stopping.",
  owned_by_gateway: "The site belongs to a gateway, and only there it can be changed.",
  gateway_unreachable: "The gateway of the site is not connected, or does not answer in time.",
  overruled: "The gateway has changed the same thing meanwhile, and its change stays.",
  cloud_unreachable: "The cloud does not answer, or refuses the gateway.",
  provider_unreachable: "The provider that signs people in does not answer, or not as it should.",
  not_available: "This installation does not offer the requested operation.",
  internal: "An error in Busbar itself. The log has the details under the request id.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** What was refused and where: `pointer` is a JSON pointer into the body, `parameter` a query parameter. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** One item of the errors array. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

/** A refused operation. Anything else that is thrown is a fault of the program. */
export class AppError extends Error {
  readonly refusals: readonly [Refusal, ...Refusal[]];
  /** Whole seconds after which a repeat may succeed. */
  readonly retryAfter: number | undefined;

  constructor(refusals: readonly [Refusal, ...Refusal[]], retryAfter?: number) {
    super(refusals.map((refusal) => refusal.message).join("; "));
    this.name = "AppError";
    this.refusals = refusals;
    this.retryAfter = retryAfter;
  }

  get code(): ErrorCode {
    return this.refusals[0].code;
  }
}

export function refuse(code: ErrorCode, message: string, details?: ErrorDetails): AppError {
  return new AppError([details === undefined ? { code, message } : { code, message, details }]);
}
