// What somebody may want to see first.

import type { DeviceState } from "#web/data/device-state.svelte.ts";
import { statusAttribute } from "#web/data/find-attribute.ts";
import { cardModel } from "#web/devices/device-card.ts";
import { powerReadings } from "#web/site/power-readings.ts";
import { MOST_SERIES, type SeriesSpec } from "./explore-state.ts";

type Device = Pick<DeviceState, "id" | "manifest"> & { readonly resource: { readonly slug: string } };

export type Suggestion = { readonly name: "power" | "main" | "states"; readonly series: readonly SeriesSpec[] };

/** Suggestions that show something on this site. */
export function suggestionsOf(devices: readonly Device[]): readonly Suggestion[] {
  const pick = (find: (device: Device) => readonly ({ readonly id: string } | undefined)[]) =>
    devices
      .flatMap((device) =>
        find(device).flatMap((attribute) => (attribute === undefined ? [] : [specOf(device, attribute.id)])),
      )
      .slice(0, MOST_SERIES);
  const all: readonly Suggestion[] = [
    {
      name: "power",
      series: pick((device) =>
        powerReadings({ id: device.id, manifest: device.manifest }).flatMap(({ attributes }) =>
          attributes.length === 1 ? attributes : [],
        ),
      ),
    },
    { name: "main", series: pick((device) => [cardModel(device).main]) },
    { name: "states", series: pick(({ manifest }) => [statusAttribute(manifest)]) },
  ];
  return all.filter(({ series }) => series.length > 0);
}

export function specOf(
  { resource, id }: { readonly id: string; readonly resource: { readonly slug: string } },
  attribute: string,
): SeriesSpec {
  return {
    device: resource.slug || id,
    attribute,
    aggregation: "auto",
    fill: undefined,
    granularity: undefined,
    isHidden: false,
  };
}
