import type { CatalogueSource } from "#core/blueprint/catalogue-entry.ts";

/** A blueprint package that lies in a folder. */
export interface RepositoryPackage {
  /** Stays the same while the package stays where it is. */
  readonly id: string;
  readonly source: CatalogueSource;
  /** Another text when a file of the package has changed. */
  readonly stamp: string;
}

/** Packages that nobody has uploaded yet: the examples, and those in the operator's folder. */
export interface PackageRepository {
  /** A bounded number of them. What cannot be read is left out. */
  list(): Promise<readonly RepositoryPackage[]>;
  /** The package as an upload takes it; undefined when it is gone or cannot be packed. */
  read(id: string): Promise<Uint8Array | undefined>;
}
