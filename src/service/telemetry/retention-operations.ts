import type { Refusal } from "#core/app-error.ts";
import { MistakeList, refuseMistakes } from "#core/mistakes.ts";
import { parseRetention, type Retention, type SiteRetention } from "#core/telemetry/retention.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, strict } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { putRetention } from "#service/telemetry/put-retention.ts";

const tag = "Telemetry";
const kept = Type.String({ maxLength: 64, description: "A duration of at least 1h, or unlimited." });
const attributes = Type.Unsafe<Readonly<Record<string, string>>>({
  type: "object",
  maxProperties: 1_000,
  propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9_]{0,199}$" },
  additionalProperties: kept,
  description: "Attribute to how long its values are kept.",
});
const body = strict("RetentionRules", { default: Type.Optional(kept), attributes: Type.Optional(attributes) });
const answer = Type.Object(
  {
    retention: described("Retention", "How long the telemetry of a site is kept: durations, or unlimited.", {
      default: nullable(kept),
      attributes,
      installation_default: Type.String({ description: "What holds where default is null." }),
    }),
  },
  { additionalProperties: false },
);

export type RetentionNeeds = Pick<Needs, "sites" | "retentions" | "now" | "newId"> & {
  /** The setting telemetry.retention. */
  readonly retentionDefault: () => Retention;
};

export function retentionOperations(needs: RetentionNeeds): readonly Operation[] {
  const render = ({ fallback, attributes: rules }: SiteRetention) => ({
    retention: {
      default: fallback ?? null,
      attributes: Object.fromEntries(rules),
      installation_default: needs.retentionDefault(),
    },
  });
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/retention",
      name: "getRetention",
      summary: "Get how long a site's telemetry is kept",
      tag,
      level: "readonly",
      answer,
      run: async (call) => {
        const site = await visibleSite(needs, call, call.params.site_id);
        return render(await needs.retentions.get(site.id));
      },
    }),
    operation({
      method: "PUT",
      path: "/v3/sites/:site_id/retention",
      name: "putRetention",
      summary: "Set how long a site's telemetry is kept",
      description:
        "Replaces all rules of the site. Older values go for good, by whole hours and days, within the hour.",
      tag,
      level: "owner",
      body,
      answer,
      run: async (call) => {
        const retention = parseRules(call.body);
        await putRetention(needs, call, { siteId: call.params.site_id, retention });
        return render(retention);
      },
    }),
  ];
}

function parseRules(given: Static<typeof body>): SiteRetention {
  const refusals = new MistakeList<Refusal>();
  const parse = (text: string, pointer: string): Retention | undefined => {
    const retention = parseRetention(text);
    if (retention === undefined) {
      const message = `must be a duration of at least 1h such as 30d, or unlimited, not ${JSON.stringify(text.slice(0, 80))}`;
      refusals.add(() => ({ code: "invalid_body", message, details: { pointer } }));
    }
    return retention;
  };
  const fallback = given.default === undefined ? undefined : parse(given.default, "/default");
  const rules = Object.entries(given.attributes ?? {}).flatMap(([name, text]): [string, Retention][] => {
    const retention = parse(text, `/attributes/${name.slice(0, 100)}`);
    return retention === undefined ? [] : [[name, retention]];
  });
  refuseMistakes(refusals);
  return { fallback, attributes: new Map(rules) };
}
