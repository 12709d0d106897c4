export interface Finding {
  readonly check: string;
  readonly result: "ok" | "warning" | "failed";
  readonly found: string;
  /** What to do; absent when nothing is. */
  readonly advice?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, result: "ok", found });

export function warning(check: string, found: string, advice: string): Finding {
  return { check, result: "warning", found, advice };
}

export function failed(check: string, found: string, advice: string): Finding {
  return { check, result: "failed", found, advice };
}
