import { allows } from "#core/access/level.ts";
import type { Device } from "#core/device/device.ts";
import { deviceRequester } from "#core/share/requester.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { type AcceptedValues, acceptValues } from "#service/device/accept-values.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";

interface AcceptNeeds {
  readonly catalog: BlueprintCatalog;
  readonly checkJson: CheckJsonValue;
}

/** Drops properties that are undeclared or do not fit their type, enum or JSON schema, and keeps the rest. */
export async function acceptProperties(
  needs: AcceptNeeds,
  device: Device,
  values: ReadonlyMap<string, unknown>,
): Promise<AcceptedValues> {
  const properties = (await deviceBlueprint(needs, device))?.properties ?? new Map<string, never>();
  const taken = acceptValues(properties, values);
  const accepted = new Map(taken.accepted);
  const refused = new Map(taken.refused);
  for (const [id, value] of taken.accepted) {
    const property = properties.get(id);
    if (property?.type !== "json" || property.jsonSchema?.text === undefined) continue;
    const fault = await needs.checkJson(property.jsonSchema.text, value, deviceRequester(device.id));
    if (fault === undefined) continue;
    accepted.delete(id);
    // Everybody who sees the device reads its log.
    refused.set(id, allows("readonly", property.accessLevel) ? fault : "does not fit its schema");
  }
  return { accepted, refused };
}
