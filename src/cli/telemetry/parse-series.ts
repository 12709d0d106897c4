import { UsageError } from "#cli/usage-error.ts";

export type AskedSeries = { readonly device: string; readonly attributes: readonly string[] };

/** `meter-1:power,energy` for each; without a colon the device alone, for commands that take all attributes. */
export function parseSeries(words: readonly string[]): readonly AskedSeries[] {
  return words.map((word) => {
    const [, device = "", list] = /^([^:]*)(?::(.*))?$/.exec(word) ?? [];
    const attributes = (list ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    if (device === "" || (list !== undefined && attributes.length === 0)) {
      throw new UsageError(`"${word}" names no telemetry; write it like meter-1:power,energy`);
    }
    return { device, attributes };
  });
}
