import { AppError } from "#core/app-error.ts";
import type { Background } from "#service/background.ts";

/**
 * Why a device of this process does not run, in words for its users. A refusal is meant for them. A fault of the
 * service is not, and goes to the service's log.
 */
export function failureWords(needs: { readonly background: Background }, error: unknown, otherwise: string): string {
  if (error instanceof AppError) return error.message;
  needs.background.run("start a device", async () => {
    throw error;
  });
  return `${otherwise}; the service's log says why`;
}
