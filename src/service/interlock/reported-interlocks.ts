// Interlocks of gateways' sites, as a cloud knows them: what the gateways have reported. Only they evaluate them. As soon as a
// gateway is away, nobody knows what its interlocks demand, and they say since when.
import { refuse } from "#core/app-error.ts";
import type { LimitClaim } from "#core/interlock/apply-limits.ts";
import { interlockClaim } from "#core/interlock/interlock-claim.ts";
import type { InterlockReport, ReportedSource } from "#core/interlock/interlock-report.ts";
import { type Measured, measure } from "#core/interlock/outcome.ts";
import type { Source } from "#core/interlock/resolve-interlock.ts";
import type { Gateway } from "#core/link/gateway.ts";
import { takesInterlocks } from "#core/link/protocol.ts";
import { unconfirmedSince } from "#core/link/unconfirmed-since.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { type Latest, latestOf } from "#service/control/read-controls.ts";
import type { DamagedInterlock, StoredInterlock } from "#service/ports/interlock-store.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import type { ShownInterlock } from "./shown-interlock.ts";

export interface ReportedInterlocksNeeds
  extends Pick<Needs, "interlocks" | "gateways" | "devices" | "telemetry" | "now"> {
  readonly catalog: BlueprintCatalog;
  readonly nodes: Pick<Nodes, "isShared">;
}

type AnyInterlock = StoredInterlock | DamagedInterlock;

export type ReportedInterlocks = ReturnType<typeof createReportedInterlocks>;

export function createReportedInterlocks(needs: ReportedInterlocksNeeds) {
  async function measuredBy({ interlock, report }: AnyInterlock): Promise<readonly Measured[]> {
    // A damaged one measures nothing.
    const sources = interlock === undefined ? [] : (report?.measured ?? []);
    const known = new Map<string, Latest>();
    for (const { deviceId } of sources) {
      if (!known.has(deviceId)) known.set(deviceId, await latestOf(needs, deviceId));
    }
    const inputs = {
      now: needs.now(),
      reading: (deviceId: string, attribute: string) => known.get(deviceId)?.get(attribute),
    };
    const all = await Promise.all(sources.map((one) => sourceOf(needs, one)));
    return all.flatMap((source): readonly Measured[] => {
      const measured = measure(source, interlock?.staleMs ?? 0, inputs);
      return measured === undefined ? [] : [measured];
    });
  }

  async function shown(stored: AnyInterlock, gateway: Gateway): Promise<ShownInterlock> {
    const { report } = stored;
    const since = unconfirmedSince(gateway, takesInterlocks);
    const head = {
      stored,
      limits: report?.limits ?? [],
      measured: await measuredBy(stored),
      problems: report?.problems ?? [],
      reportedBy: gateway.id,
      unconfirmedSince: since,
    };
    if (since !== undefined) return { ...head, state: "unknown", since, why: `${AWAY}${lastOf(report)}` };
    if (report === undefined) return { ...head, state: "unknown", since: stored.updatedAt, why: NOT_YET };
    return { ...head, state: report.state, since: report.since, why: report.why };
  }

  return {
    /** Undefined: no gateway owns the site. Refuses for a gateway that reports no interlocks: nobody knows which it has. */
    async ofSite(siteId: string): Promise<readonly ShownInterlock[] | undefined> {
      const owner = await needs.gateways.ownerOf(siteId);
      const gateway = owner === undefined ? undefined : await needs.gateways.find(owner);
      if (gateway === undefined) return undefined;
      if (!takesInterlocks(gateway.protocol ?? "")) {
        const { name, version } = gateway;
        const why = "whose interlocks cannot be seen or changed from a cloud; update it";
        throw refuse("not_available", `the gateway ${name} runs Busbar ${version}, ${why}`);
      }
      return await Promise.all((await needs.interlocks.ofSite(siteId)).map((stored) => shown(stored, gateway)));
    },
    /** What the interlocks of its site last demanded of a control. */
    async limitsOf({ siteId, id }: { siteId: string; id: string }, control: string): Promise<readonly LimitClaim[]> {
      return (await needs.interlocks.ofSite(siteId)).flatMap(({ name, interlock, report }) => {
        const own = report?.limits.filter((one) => one.deviceId === id && one.control === control) ?? [];
        return own.map((one) => interlockClaim({ name, interlock, why: "", since: 0, ...report }, one));
      });
    },
  };
}

const AWAY = "the gateway is away";
const NOT_YET = "the gateway has not reported yet what it demands";
const lastOf = (report: InterlockReport | undefined): string =>
  report === undefined ? "" : `; it last reported: ${report.state}${report.why === "" ? "" : `, ${report.why}`}`;

/** Who may read the value is what the blueprint says, not the gateway. */
async function sourceOf(
  needs: ReportedInterlocksNeeds,
  { deviceId, attribute, unit }: ReportedSource,
): Promise<Source | undefined> {
  const device = await needs.devices.find(deviceId);
  const declared = device && (await deviceBlueprint(needs, device))?.telemetry.get(attribute);
  const conversion = declared && conversionOf(declared.unit, unit);
  if (declared === undefined || conversion === undefined) return undefined;
  return { deviceId, attribute, unit, conversion, accessLevel: declared.accessLevel };
}
