import type { Fix } from "#core/blueprint/issue.ts";

export function applyFix(text: string, fix: Fix): string {
  return fix.edits.reduceRight(
    (result, edit) => result.slice(0, edit.start) + edit.text + result.slice(edit.end),
    text,
  );
}
