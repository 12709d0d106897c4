import type { MaintenanceWindow } from "#core/alert/maintenance.ts";
import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Notifier } from "#service/notification/notifier.ts";
import { askedOfGateway, siteOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { newWindowSchema, parseWindowTimes, renderWindow, windowSchema } from "./maintenance-wire.ts";

export interface MaintenanceNeeds extends Pick<Needs, "maintenance" | "sites" | "devices" | "now" | "newId"> {
  readonly notifier: Pick<Notifier, "changed">;
}

const tag = "Alerts";
const level = "owner";
const base = "/v3/sites/:site_id/maintenance";
/** Who sets one wants to see that it holds. */
const atGateway = { by: "gateway", place: siteOfPath, waits: false, compares: "nothing" } as const;
const answer = Type.Object({ window: windowSchema }, { additionalProperties: false });

export function maintenanceOperations(needs: MaintenanceNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: base,
      name: "listMaintenance",
      summary: "List the maintenance windows of a site",
      description: "Those that are open, will open, or ended in the last 90 days; the one that ends last comes first.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      query: paging,
      answer: listAnswer("windows", windowSchema),
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        return renderPage("windows", await needs.maintenance.list(id, pageOf(call.query)), renderWindow);
      },
    }),
    operation({
      method: "POST",
      path: base,
      name: "createMaintenance",
      summary: "Silence a device or a site for a while",
      description:
        "Alerts are listed as always, with silenced_until, and nobody is notified of them. Alerts that are still " +
        "active when the window ends are sent then.",
      tag,
      level,
      atGateway,
      body: newWindowSchema,
      answer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const { device_id: named, reason } = call.body;
        const device = named === undefined ? undefined : await visibleDevice(needs, call, named);
        if (device !== undefined && device.siteId !== siteId)
          throw refuse("not_found", `the site has no device ${named?.slice(0, 80)}`, { pointer: "/device_id" });
        const now = needs.now();
        const { tokenId, tokenName } = call.caller;
        const window: MaintenanceWindow = {
          ...{ id: needs.newId(), siteId, deviceId: device?.id, reason },
          ...parseWindowTimes(call.body, now),
          ...{ madeBy: { tokenId, name: tokenName }, madeAt: now },
        };
        const target = { siteId, ...(device !== undefined && { deviceId: device.id }) };
        const shown = renderWindow(window);
        const details = { window_id: shown.id, from: shown.from, until: shown.until, reason: shown.reason };
        await needs.maintenance.insert(window, auditTrail(needs, call, { target, details }));
        return { window: shown };
      },
    }),
    operation({
      method: "POST",
      path: `${base}/:window_id/end`,
      name: "endMaintenance",
      summary: "End a maintenance window now",
      description: "One that has not begun is deleted. Active alerts are sent from now on.",
      tag,
      level,
      atGateway,
      answer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const id = call.params.window_id;
        const trail = auditTrail(needs, call, { target: { siteId }, details: { window_id: id.slice(0, 80) } });
        const window = await needs.maintenance.end({ siteId, id, now: needs.now() }, trail);
        if (window === undefined)
          throw refuse("not_found", `the site has no maintenance window ${id.slice(0, 80)} that is not over`);
        await needs.notifier.changed(siteId);
        return { window: renderWindow(window) };
      },
    }),
  ];
}
