import { ApiError, UnreachableError } from "#client/errors.ts";

/** Answers of a server that cannot just now, or of a proxy before it. */
const PASSING: readonly number[] = [502, 503, 504];

/** Whether the same question may be answered later: nobody answered, or only that it is not possible now. */
export function isPassing(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && PASSING.includes(error.status));
}
