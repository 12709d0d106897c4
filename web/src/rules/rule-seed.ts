// "Make a rule from this": the address of the editor. What it opens with is the business of prefill.ts. Pure.
import { href, type QueryChange } from "#web/router/paths.ts";

/** What a rule can be made from. Devices go by slug or id. */
export type Seed =
  | { readonly make: "alert"; readonly device: string; readonly alert: string; readonly title: string }
  | {
      readonly make: "value";
      readonly device: string;
      readonly attribute: string;
      readonly value: number | string | boolean | undefined;
      readonly title: string;
    }
  | { readonly make: "device"; readonly device: string; readonly title: string };

const LONGEST = 200;

export function newRuleLink(site: string, seed: Seed): string {
  const { title, ...rest } = seed;
  const query: QueryChange = {
    ...rest,
    title: title.slice(0, LONGEST),
    ...("value" in rest && { value: rest.value === undefined ? undefined : String(rest.value) }),
  };
  return href("newRule", { site }, query);
}
