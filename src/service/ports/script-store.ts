/** What a device's script keeps by itself. Keys and values are byte strings: one byte a character. */
export interface ScriptStore {
  get(deviceId: string): Promise<ReadonlyMap<string, string>>;
  /** "full": with it the device would keep more than the limits allow, so that nothing was stored. "gone": there is no such device. */
  put(
    deviceId: string,
    entry: { readonly key: string; readonly value: string },
    limits: ScriptStoreLimits,
  ): Promise<"stored" | "full" | "gone">;
  remove(deviceId: string, key: string): Promise<void>;
}

/** Of one device. */
export interface ScriptStoreLimits {
  readonly entries: number;
  /** Keys and values together. */
  readonly bytes: number;
}
