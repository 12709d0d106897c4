/** Sentences that wait for their check. */
export const UNCHECKED: readonly string[] = ["http.cors-origins"];
