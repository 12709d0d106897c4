// Blueprints that every installation has, under the same ids everywhere. Clients of the ecosystem want a device to name a
// blueprint always: a device without one of its own names one of these.
import type { Device } from "#core/device/device.ts";
import { GATEWAY_BLUEPRINT_NAME, GATEWAY_MANIFEST } from "#core/link/gateway-figures.ts";

/** Nothing is declared: what a device without a blueprint has. */
export const EMPTY_BLUEPRINT_ID = "00000000-0000-7000-8000-000000000001";
/** What a gateway reports about itself. */
const GATEWAY_BLUEPRINT_ID = "00000000-0000-7000-8000-000000000002";

const EMPTY_MANIFEST = `blueprint_spec: device/3.0
display_name: No blueprint
description: The device has no blueprint yet, so nothing is known about it.
runtime: {type: embedded}
`;

export interface BuiltInBlueprint {
  readonly id: string;
  readonly displayName: string;
  readonly manifest: string;
}

export const BUILT_IN_BLUEPRINTS: readonly BuiltInBlueprint[] = [
  { id: GATEWAY_BLUEPRINT_ID, displayName: GATEWAY_BLUEPRINT_NAME, manifest: GATEWAY_MANIFEST },
  { id: EMPTY_BLUEPRINT_ID, displayName: "No blueprint", manifest: EMPTY_MANIFEST },
];

export function isBuiltIn(blueprintId: string): boolean {
  return BUILT_IN_BLUEPRINTS.some(({ id }) => id === blueprintId);
}

/** The blueprint that a device names to callers. */
export function namedBlueprint({ blueprintId, type }: Pick<Device, "blueprintId" | "type">): string {
  return blueprintId ?? (type === "GATEWAY" ? GATEWAY_BLUEPRINT_ID : EMPTY_BLUEPRINT_ID);
}
