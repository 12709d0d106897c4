/** The operator's folder of rocks. */
export interface RockRepository {
  /** The name of the folder in messages. */
  readonly folder: string;
  /** File names, without folders. */
  readonly files: readonly string[];
  /** Undefined when the file is gone, cannot be read, or is larger than a package may be. */
  read(file: string): Uint8Array | undefined;
}
