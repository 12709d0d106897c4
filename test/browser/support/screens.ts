// Every screen of the page, from its own table of addresses: a new screen is tested without being named here.
import { href, PATHS, type RouteName } from "../../../web/src/router/paths.ts";

/** What stands for the ids in an address. */
export interface Ids {
  readonly site: string;
  readonly device: string;
  readonly command: string;
  readonly entry: string;
  readonly blueprint: string;
}

export interface Screen {
  readonly name: RouteName;
  readonly path: string;
}

export const SCREEN_NAMES = Object.keys(PATHS).filter((name) => name !== "signIn") as RouteName[];

export function screensOf(ids: Ids): readonly Screen[] {
  return SCREEN_NAMES.map((name) => ({ name, path: href(name, ids as never) }));
}
