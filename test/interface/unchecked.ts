/** Sentences that wait for their check. */
export const UNCHECKED: readonly string[] = [
  "http.cors-origins",
  "commands.child-over-parent",
  "commands.child-without-parent",
  "resources.compiled-by-default",
  "resources.compiled-spec",
  "resources.compiled-enum",
  "resources.compiled-lists",
  "resources.compiled-levels",
  "resources.compiled-units",
  "resources.compiled-schemas",
  "resources.compiled-additions",
  "resources.compiled-nothing",
];
