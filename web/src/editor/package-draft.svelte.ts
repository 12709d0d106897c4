import { MANIFEST, type Package, samePackage, textOfFile, withFile, withoutFile } from "#web/blueprints/package.ts";

/** A package that is being edited, and what it began as. */
export class PackageDraft {
  readonly #start: () => Package;
  content: Package = $state.raw() as Package;
  readonly isChanged = $derived.by(() => !samePackage(this.content, this.#start()));
  /** The manifest first, the others by name. */
  readonly paths = $derived([MANIFEST, ...[...this.content.others.keys()].sort()]);

  constructor(start: () => Package, opened: Package) {
    this.#start = start;
    this.content = opened;
  }

  /** Undefined: it is no text, or there is no such file. */
  text(path: string): string | undefined {
    return textOfFile(this.content, path);
  }

  write(path: string, text: string): void {
    if (this.text(path) !== text) this.content = withFile(this.content, path, text);
  }

  remove(path: string): void {
    this.content = withoutFile(this.content, path);
  }

  discard(): void {
    this.content = this.#start();
  }
}
