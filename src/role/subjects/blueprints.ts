import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { blueprintOperations } from "#service/blueprint/blueprint-operations.ts";
import { catalogueOperations } from "#service/blueprint/catalogue-operations.ts";
import { profileOperations } from "#service/blueprint/profile-operations.ts";

export const blueprints = (parts: Parts): Subject => ({
  operations: [...profileOperations(parts), ...blueprintOperations(parts), ...catalogueOperations(parts)],
});
