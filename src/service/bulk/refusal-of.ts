import { AppError } from "#core/app-error.ts";

const MAX_MESSAGE = 300;

/** Why something was refused, to be stored. Throws what is no refusal. */
export function refusalOf(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message.slice(0, MAX_MESSAGE) };
}
