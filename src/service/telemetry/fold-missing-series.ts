import { type AppError, type ErrorCode, refuse } from "#core/app-error.ts";

const MISSING: ReadonlySet<ErrorCode> = new Set(["device_not_found", "attribute_not_found", "unprocessable_entity"]);

/**
 * Clients of the ecosystem distinguish "does not exist" from other trouble by exactly one error with a code of their own:
 * Grafana's health check asks for a device that cannot exist.
 */
export function foldMissingSeries(error: AppError, code: ErrorCode): AppError {
  return error.refusals.every((refusal) => MISSING.has(refusal.code)) ? refuse(code, error.message) : error;
}
