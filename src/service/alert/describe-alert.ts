import { AppError } from "#core/app-error.ts";
import type { Alert } from "#core/blueprint/blueprint.ts";
import type { Instant } from "#core/time/instant.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { AlertRecord } from "#service/ports/alert-store.ts";

/** An alert with its description in the blueprint; undefined when the blueprint has none. */
export interface DescribedAlert {
  readonly record: AlertRecord;
  readonly declared: Alert | undefined;
  /** Nobody is notified of it until then. Undefined: no maintenance window silences it, or nobody has looked. */
  readonly silencedUntil?: Instant | undefined;
}

/**
 * Uses the blueprint that was assigned when the alert was raised. If it can no longer be read, the alert is listed
 * without a description.
 */
export async function describeAlert(
  needs: { readonly catalog: BlueprintCatalog },
  record: AlertRecord,
): Promise<DescribedAlert> {
  try {
    const blueprint = await deviceBlueprint(needs, record);
    return { record, declared: blueprint?.alerts.get(record.alertId) };
  } catch (error) {
    if (error instanceof AppError) return { record, declared: undefined };
    throw error;
  }
}
