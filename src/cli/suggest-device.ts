import type { Client } from "#client/create-client.ts";
import { ApiError } from "#client/errors.ts";
import { nearestOf } from "#core/text/nearest.ts";

/** The answer; where there is no such device, the failure says which one may be meant. */
export async function suggestDevice<T>(client: Client, device: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    const slugs = await client.devices.list({ limit: 1_000 }).then(
      ({ devices }) => devices.map(({ slug }) => slug),
      () => [],
    );
    const close = nearestOf(device, slugs);
    const [first, ...others] = error.errors;
    if (close === undefined || first === undefined) throw error;
    throw new ApiError(
      error.status,
      [{ ...first, message: `${first.message}; did you mean ${close}?` }, ...others],
      error.requestId,
    );
  }
}
