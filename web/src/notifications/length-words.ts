import { show } from "#web/i18n/show.ts";
import { msOf } from "./route-view.ts";

/** A length of time of the interface, such as `15m`, as people say it. */
export const lengthWords = (length: string): string => show.length(msOf(length));
