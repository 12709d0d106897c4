import { suggestDevice } from "#cli/suggest-device.ts";
import type { Client } from "#client/create-client.ts";
import type { AskedSeries } from "./parse-series.ts";

export type Column = {
  readonly device: string;
  readonly attribute: string;
  readonly type: string;
  readonly unit: string | undefined;
};

type Declared = { readonly type?: unknown; readonly unit?: unknown; readonly aliases?: unknown };

/** What the devices' manifests say about the attributes, in the order of the columns; all of them where none is named. */
export async function describeColumns(client: Client, series: readonly AskedSeries[]): Promise<readonly Column[]> {
  const columns: Column[] = [];
  for (const { device, attributes } of series) {
    // What the author declared: a compiled manifest adds what every device may send.
    const { manifest } = await suggestDevice(client, device, client.devices.manifest(device, "ORIGINAL"));
    const declared = new Map(Object.entries((manifest["telemetry"] ?? {}) as Readonly<Record<string, Declared>>));
    for (const attribute of attributes.length === 0 ? declared.keys() : attributes) {
      const found = declared.get(attribute) ?? [...declared.values()].find((one) => hasAlias(one, attribute));
      columns.push({
        device,
        attribute,
        type: typeof found?.type === "string" ? found.type : "string",
        unit: typeof found?.unit === "string" ? found.unit : undefined,
      });
    }
  }
  return columns;
}

function hasAlias({ aliases }: Declared, name: string): boolean {
  return aliases === name || (Array.isArray(aliases) && aliases.includes(name));
}
