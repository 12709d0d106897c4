import { expect, test } from "vitest";
import { HAS_CITUS, WITHOUT_CITUS } from "./citus.ts";

/** Says so in the list of tests of a file. */
export function sayIfWithoutCitus(): void {
  if (HAS_CITUS) return;
  test(WITHOUT_CITUS, () => {
    console.log(`not run: ${WITHOUT_CITUS}`);
    expect(HAS_CITUS).toBe(false);
  });
}
