// Blueprints that every Busbar has, under the same ids. A device without one of its own names one of them.
import type { Device } from "./resources.ts";

export const EMPTY_BLUEPRINT_ID = "00000000-0000-7000-8000-000000000001";
export const GATEWAY_BLUEPRINT_ID = "00000000-0000-7000-8000-000000000002";

/** Whether somebody has given the device a blueprint. */
export function hasOwnBlueprint({ blueprint_id }: Pick<Device, "blueprint_id">): boolean {
  return blueprint_id !== EMPTY_BLUEPRINT_ID && blueprint_id !== GATEWAY_BLUEPRINT_ID;
}
