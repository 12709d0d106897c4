import { AppError } from "#core/app-error.ts";
import type { Background } from "#service/background.ts";

/**
 * Why a device of this process does not run, for whoever sees the device. A refusal is meant for them; a fault of the service is
 * not, and goes to its log.
 */
export function failureWords(needs: { readonly background: Background }, error: unknown, otherwise: string): string {
  if (error instanceof AppError) return error.message;
  needs.background.run("start a device", async () => {
    throw error;
  });
  return `${otherwise}; the service's log says why`;
}
