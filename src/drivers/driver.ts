/** The texts of a driver for stubs, lint and docs/lua-reference.md. core/lua/host/parse-signature.ts explains the notation. */
export interface DriverSignatures {
  /** What its tables and classes are. */
  readonly tables: Readonly<Record<string, string>>;
  /** What its functions and values are. */
  readonly signatures: Readonly<Record<string, string>>;
}

/**
 * What a script reaches others by. A driver is a folder: `prelude.lua` defines its tables and calls the host, and the
 * parts that are named here are loaded only where they are needed.
 */
export interface Driver {
  /** That of its folder. */
  readonly name: string;
  /** The tables that a script finds, and that it can require. */
  readonly libraries: readonly string[];
  /** Calls that begin or prepare something, and prove nothing about the other side. */
  readonly opening: readonly string[];
  /** Calls that are answered here. They prove nothing about the other side either. */
  readonly local: readonly string[];
  readonly signatures: () => Promise<DriverSignatures>;
}
