import { AppError } from "#core/app-error.ts";
import type { Alert } from "#core/blueprint/blueprint.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { AlertRecord } from "#service/ports/alert-store.ts";

/** An alert with what its blueprint says about it; undefined when it says nothing. */
export interface DescribedAlert {
  readonly record: AlertRecord;
  readonly declared: Alert | undefined;
}

/** By the blueprint that held when it was raised. One that can no longer be read leaves the alert undescribed, not unseen. */
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
