import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { viewOperations } from "#service/view/view-operations.ts";

export const views = (parts: Parts): Subject => ({ operations: viewOperations(parts) });
