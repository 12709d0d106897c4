/** What a device's script stores for itself. Keys and values are byte strings: one byte per character. */
export interface ScriptStore {
  get(deviceId: string): Promise<ReadonlyMap<string, string>>;
  /** "full": nothing was stored, because the device would exceed its limits. "gone": there is no such device. */
  put(
    deviceId: string,
    entry: { readonly key: string; readonly value: string },
    limits: ScriptStoreLimits,
  ): Promise<"stored" | "full" | "gone">;
  remove(deviceId: string, key: string): Promise<void>;
}

/** Limit per device. */
export interface ScriptStoreLimits {
  readonly entries: number;
  /** Keys and values together. */
  readonly bytes: number;
}
