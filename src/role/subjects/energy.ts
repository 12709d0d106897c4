import { SECOND } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { correctionOperations } from "#service/energy/correction-operations.ts";
import { energyOperations } from "#service/energy/energy-operations.ts";
import { keepPrices } from "#service/energy/keep-prices.ts";
import { priceSourceOperations } from "#service/energy/price-source-operations.ts";
import { tariffOperations } from "#service/energy/tariff-operations.ts";
import { loadRenderer } from "#store/series/render/load-renderer.ts";

export const energy = (parts: Parts): Subject => ({
  operations: [
    ...energyOperations({
      ...parts,
      renderParquet: async ({ block, settings }) =>
        (await loadRenderer({ renderer: "parquet", settings })).render(block, true),
    }),
    ...correctionOperations(parts),
    ...tariffOperations(parts),
    ...priceSourceOperations(parts),
  ],
  chores: [
    {
      name: "fetch prices",
      isShared: true,
      everyMs: 5 * SECOND,
      task: (stopping) => keepPrices({ ...parts, random: Math.random }, stopping),
    },
  ],
});
