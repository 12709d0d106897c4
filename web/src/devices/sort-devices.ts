// In which order the table of devices is. Pure.

export const SORT_KEYS = ["name", "status", "value", "alerts", "seen", "kind"] as const;
export type SortKey = (typeof SORT_KEYS)[number];
export type Sort = { readonly key: SortKey; readonly isDescending: boolean };

/** What a device is sorted by; undefined where nothing is known. */
export type Sortable = {
  readonly name: string;
  readonly status: string | undefined;
  readonly value: number | undefined;
  readonly alerts: number;
  /** Unix ms. */
  readonly seen: number | undefined;
  readonly kind: string | undefined;
};

/** As the address has it: `seen`, or `-seen` for the other way round. */
export function readSort(text: string | undefined): Sort {
  const key = SORT_KEYS.find((one) => one === text?.replace(/^-/, ""));
  return { key: key ?? "name", isDescending: key !== undefined && text?.startsWith("-") === true };
}

/** Undefined for the order that a list has anyway. */
export function renderSort({ key, isDescending }: Sort): string | undefined {
  return key === "name" && !isDescending ? undefined : `${isDescending ? "-" : ""}${key}`;
}

/** The sort after a press on a column: what matters most comes first, and a second press turns it round. */
export function pressed(sort: Sort, key: SortKey): Sort {
  if (sort.key === key) return { key, isDescending: !sort.isDescending };
  return { key, isDescending: key === "value" || key === "alerts" || key === "seen" };
}

/** Devices without a value are last, whichever way it is sorted. */
export function sortDevices<One>(devices: readonly One[], sort: Sort, read: (device: One) => Sortable): readonly One[] {
  const direction = sort.isDescending ? -1 : 1;
  return devices
    .map((device) => ({ device, by: read(device) }))
    .sort(({ by: a }, { by: b }) => {
      const [one, other] = [a[sort.key], b[sort.key]];
      if (one === undefined || other === undefined) {
        return Number(one === undefined) - Number(other === undefined) || a.name.localeCompare(b.name);
      }
      const difference =
        typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
      return direction * difference || a.name.localeCompare(b.name);
    })
    .map(({ device }) => device);
}
