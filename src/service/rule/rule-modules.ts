// Reads the modules of rules from the records: other rules of the same site, whether they are enabled or not.
import {
  gatherModules,
  type KnownModule,
  noSuchModule,
  type RuleModules,
  requiredNames,
  yamlModule,
} from "#core/rule/rule-modules.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { allPages } from "#service/all-pages.ts";
import type { Needs } from "#service/ports.ts";

type Reading = Pick<Needs, "rules">;

/** A rule, or a text that is none. */
export type RequiringRule = Pick<SiteRule, "siteId" | "slug" | "script">;

/** What was found in a text before, by the id of its rule. */
export type KeptTexts = ReadonlyMap<string, KeptText>;

interface KeptText {
  readonly code: string;
  readonly requires: readonly string[];
  /** In memory that is not copied on the way to a thread: many rules may share it. Undefined: nothing requires the rule. */
  readonly bytes: Uint8Array | undefined;
}

interface ModuleLook {
  of(rule: RequiringRule & { readonly id?: string }): Promise<RuleModules>;
  /** What was read. The next look needs not to decode it again. */
  readonly kept: KeptTexts;
}

/** One look at the records: it reads each rule once. */
export function lookForModules({ rules }: Reading, before: KeptTexts = new Map()): ModuleLook {
  const kept = new Map<string, KeptText>();
  const bySite = new Map<string, Map<string, KnownModule>>();

  function textOf({ id, script: { code } }: Pick<SiteRule, "id" | "script">, isModule: boolean): KeptText {
    const known = kept.get(id) ?? before.get(id);
    const fitting = known?.code === code ? known : undefined;
    const bytes = fitting?.bytes ?? (isModule ? shared(Buffer.from(code, "base64")) : undefined);
    const requires = fitting?.requires ?? requiredNames(Buffer.from(code, "base64").toString("utf8"));
    const text = { code, requires, bytes };
    kept.set(id, text);
    return text;
  }

  async function read(siteId: string, name: string): Promise<KnownModule> {
    const found = await rules.find(siteId, name);
    if (found?.slug !== name) return noSuchModule(name);
    if (found.script.runtimeVersion !== "V3") return yamlModule(name);
    const { bytes = new Uint8Array(), requires } = textOf(found, true);
    return { bytes, requires };
  }

  return {
    kept,
    async of({ id = "", siteId, slug, script }) {
      if (script.runtimeVersion !== "V3") return gatherModules(slug, [], new Map());
      const { requires } = textOf({ id, script }, false);
      const known = bySite.get(siteId) ?? new Map<string, KnownModule>();
      bySite.set(siteId, known);
      for (;;) {
        const gathered = gatherModules(slug, requires, known);
        if (gathered.wanted.length === 0) return gathered;
        for (const name of gathered.wanted) known.set(name, await read(siteId, name));
      }
    },
  };
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** Slugs of enabled rules that run this one as a module. */
export async function rulesThatRequire({ rules }: Reading, { id, siteId, slug }: SiteRule): Promise<readonly string[]> {
  const look = lookForModules({ rules });
  const users: string[] = [];
  for await (const rule of allPages((page) => rules.list(siteId, page))) {
    if (rule.disabled || rule.id === id) continue;
    if ((await look.of(rule)).texts.has(slug)) users.push(rule.slug);
  }
  return users;
}
