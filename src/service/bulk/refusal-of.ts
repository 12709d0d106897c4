import { AppError, type ErrorCode } from "#core/app-error.ts";

const MAX_MESSAGE = 300;

/** Why something was refused, to be stored. Throws what is no refusal. */
export function refusalOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message.slice(0, MAX_MESSAGE) };
}

const PASSING: ReadonlySet<ErrorCode> = new Set([
  "overloaded",
  "queue_full",
  "storage_full",
  "storage_unavailable",
  "shutting_down",
]);

/** It says nothing about the caller or the command: the same may succeed a little later. */
export const isPassing = (error: unknown): boolean => error instanceof AppError && PASSING.has(error.code);
