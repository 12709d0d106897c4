import type { RuleNamesVariable } from "#client/resources.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import type { DocumentEdit } from "#manifest/edit-document.ts";
import { client } from "#web/data/client.ts";
import type { SiteState } from "#web/data/site-state.svelte.ts";
import { type NamedDevice, NO_NAMES, type RuleNames, siteOfNames } from "./rule-names.ts";
import type { ReadRule } from "./rule-tools.ts";
import { RuleWorkerClient } from "./rule-worker-client.ts";

const PAGE = 500;

async function readNames(state: SiteState): Promise<RuleNames> {
  const site = state.id;
  const devices: NamedDevice[] = [];
  let variables: readonly RuleNamesVariable[] = [];
  let calendars: readonly string[] = [];
  let prices: RuleNames["prices"] = [];
  for (;;) {
    const page = await client.rules.names(site, { limit: PAGE, offset: devices.length });
    for (const device of page.devices) {
      const declared = state.device(device.id)?.manifest.telemetry;
      const attributes = device.attributes.map((one) => ({ ...one, aliases: declared?.get(one.name)?.aliases ?? [] }));
      devices.push({ ...device, attributes });
    }
    [variables, calendars, prices] = [page.variables, page.calendars, page.prices];
    if (page.devices.length === 0 || devices.length >= page.total_count)
      return { devices, variables, calendars, prices };
  }
}

/** What reading rules of a site needs. Call it while a component is made: its worker ends with the component. */
export function ruleLanguage(site: SiteState) {
  let names = $state.raw<RuleNames>(NO_NAMES);
  let schema = $state.raw<JsonSchema>();
  let isReady = $state(false);
  let error = $state.raw<unknown>();
  let worker: RuleWorkerClient | undefined;

  async function open(asked: RuleWorkerClient): Promise<void> {
    try {
      const [found, described] = await Promise.all([readNames(site), asked.ask("schema")]);
      await asked.ask("setSite", siteOfNames(found, site.site?.location != null));
      [names, schema, isReady, error] = [found, described, true, undefined];
    } catch (caught) {
      error = caught;
    }
  }

  $effect(() => {
    const made = new RuleWorkerClient();
    worker = made;
    void open(made);
    return () => {
      worker = undefined;
      made.close();
    };
  });

  return {
    get names(): RuleNames {
      return names;
    },
    /** Undefined until it is known. */
    get schema(): JsonSchema | undefined {
      return schema;
    },
    /** Whether names are known, so that texts can be read. */
    get isReady(): boolean {
      return isReady;
    },
    get error(): unknown {
      return error;
    },
    read: (text: string): Promise<ReadRule | undefined> => worker?.ask("read", text) ?? Promise.resolve(undefined),
    variables: async (text: string): Promise<readonly string[]> => (await worker?.ask("variables", text)) ?? [],
    readTests: async (text: string): Promise<readonly Issue[] | undefined> => worker?.ask("readTests", text),
    testSchema: async (): Promise<JsonSchema | undefined> => worker?.ask("testSchema"),
    edit: async (text: string, edits: readonly DocumentEdit[]): Promise<string | undefined> =>
      worker?.ask("edit", text, edits),
    again: (): void => {
      if (worker !== undefined) void open(worker);
    },
  };
}
