import type { Page } from "./page.ts";

export type Blueprint = {
  readonly id: string;
  readonly created_at: string;
  readonly display_name: string;
  readonly version: number;
  readonly digest: string;
  readonly size: number;
  readonly implements: readonly string[];
  /** Part of Busbar, the same everywhere. */
  readonly built_in: boolean;
};

export type Diagnostic = {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the manifest, or the path of a file in the package. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
};

/** What another blueprint changes for a device. */
export type BlueprintChange = {
  readonly kind: "added" | "removed" | "renamed" | "retyped" | "access" | "changed" | "text";
  readonly path: string;
  /** What worked before may stop working. */
  readonly breaking: boolean;
  readonly message: string;
};

export type Validation = {
  readonly validation_errors: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
};

/** A blueprint that the catalogue offers. */
export type CatalogueEntry = {
  readonly id: string;
  /** With Busbar, from the operator's folder, or by an upload. */
  readonly source: "examples" | "folder" | "upload";
  /** null: not uploaded yet. */
  readonly blueprint_id: string | null;
  readonly display_name: string;
  readonly description: string;
  readonly category: string | null;
  readonly icon: string | null;
  readonly author: string | null;
  readonly contributors: readonly string[];
  readonly support: { readonly url: string | null; readonly email: string | null };
  readonly license: string | null;
  readonly runtime: "lua" | "embedded";
  readonly requires: readonly string[];
  readonly offers: {
    readonly profiles: readonly string[];
    readonly properties: number;
    readonly telemetry: number;
    readonly commands: number;
    readonly alerts: number;
    readonly configuration: number;
  };
};

export type CataloguePage = Page<"entries", CatalogueEntry> & {
  readonly categories: readonly { readonly category: string | null; readonly count: number }[];
};
