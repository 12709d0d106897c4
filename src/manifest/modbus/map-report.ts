import type { IssueCode } from "#core/blueprint/issue.ts";
import type { Reporter } from "#manifest/reporter.ts";
import { follow, pointer, type Trail } from "#manifest/tree.ts";

export type Path = readonly (string | number)[];

/** Reports what is wrong at a place of a register map. */
export interface MapReport {
  (path: Path, code: IssueCode, message: string): void;
  readonly reporter: Reporter;
  /** Whether something below this place could not be read, and has been reported: nothing more can be said about it. */
  isBroken(path: Path): boolean;
}

/** `reporter` has the issues of reading the document already. */
export function createMapReport(reporter: Reporter, root: Trail): MapReport {
  const broken = withPlacesAbove(reporter.issues().map(({ path }) => path));
  return Object.assign(
    (path: Path, code: IssueCode, message: string) => reporter.atValue(follow(root, path), { code, message }),
    {
      reporter,
      isBroken: (path: Path): boolean => broken.has(pointer(follow(root, path))),
    },
  );
}

function withPlacesAbove(pointers: readonly string[]): ReadonlySet<string> {
  const all = new Set(pointers);
  for (const one of pointers) {
    for (let end = one.lastIndexOf("/"); end >= 0; end = one.lastIndexOf("/", end - 1)) {
      all.add(one.slice(0, end));
      if (end === 0) break;
    }
  }
  return all;
}
