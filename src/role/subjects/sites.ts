import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { siteOperations } from "#service/site/site-operations.ts";

export const sites = (parts: Parts): Subject => ({ operations: siteOperations(parts) });
