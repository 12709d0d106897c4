/** A setting that can be changed while the service runs. */
export interface LiveSetting {
  readonly name: string;
  readonly about: string;
  /** What holds now, as text. */
  readonly value: string;
  /** What flags, environment and file say, or the default. It holds again after a reset. */
  readonly configured: string;
  readonly isChanged: boolean;
}

export interface LiveSettings {
  list(): readonly LiveSetting[];
  /** What is wrong with a value; undefined when it can be used. */
  problemOf(name: string, value: string): string | undefined;
  /** Reads what is stored, and applies it. */
  refresh(): Promise<void>;
}
