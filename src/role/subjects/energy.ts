import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { correctionOperations } from "#service/energy/correction-operations.ts";
import { energyOperations } from "#service/energy/energy-operations.ts";

export const energy = (parts: Parts): Subject => ({
  operations: [...energyOperations(parts), ...correctionOperations(parts)],
});
