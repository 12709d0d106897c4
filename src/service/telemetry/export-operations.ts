import { Readable } from "node:stream";
import { refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { isTimezone } from "#core/site/timezone.ts";
import { POINT_SHAPES, POINT_TIMES } from "#core/telemetry/render/points.ts";
import { instant } from "#core/time/instant.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { StreamAnswer } from "#service/operation/answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { anyText, choice, dateTime, list, type ParsedQuery } from "#service/operation/query.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { exportTelemetry } from "#service/telemetry/export-telemetry.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";
import { contentTypeOf } from "#service/telemetry/timeseries-form.ts";

const FORMS = ["csv", "jsonl", "parquet"] as const;

const query = {
  from: dateTime("The first moment. Default: the beginning."),
  to: dateTime("The end, not included. Default: everything there is."),
  attributes: list("Names or aliases. Default: all that the token may read."),
  form: choice("Default csv.", FORMS),
  shape: choice("A row per moment (wide), or a row per value (long).", POINT_SHAPES),
  time: choice(
    "Unix seconds, RFC 3339 in UTC (iso), or as clocks at the site show it (local). Default unix.",
    POINT_TIMES,
  ),
  timezone: anyText("For local times. Default that of the site."),
};

const answer = {
  contentType: "text/csv",
  otherTypes: [contentTypeOf("jsonl"), contentTypeOf("parquet")],
  description: "The points, in order of time.",
};

/** No device has later points: a clock may be ahead by a day. */
const AHEAD_MS = 2 * 86_400_000;
const PAGE = 1_000;

type ExportNeeds = NowNeeds & Pick<Needs, "sites" | "now">;

export function exportOperations(needs: ExportNeeds): readonly Operation[] {
  const send = async (
    call: Call & { readonly query: ParsedQuery<typeof query> },
    devices: readonly Device[],
    defaults: { readonly shape: "wide" | "long"; readonly timezone: string },
  ) => {
    const { from, to, attributes, form = "csv", shape, time = "unix", timezone } = call.query;
    if (timezone !== undefined && !isTimezone(timezone)) {
      throw refuse("invalid_query", "timezone must be the IANA name of a time zone", { parameter: "timezone" });
    }
    const asked = {
      from: from ?? instant(0),
      to: to ?? instant(needs.now() + AHEAD_MS),
      attributes,
      form,
      shape: shape ?? defaults.shape,
      time,
      timezone: timezone ?? defaults.timezone,
    };
    if (asked.from >= asked.to) throw refuse("invalid_query", "from must be before to", { parameter: "from" });
    const bytes = await exportTelemetry(needs, call, { devices, asked });
    return new StreamAnswer(contentTypeOf(form), Readable.from(bytes));
  };
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/telemetry/export",
      name: "exportDeviceTelemetry",
      summary: "Export every point of a device",
      description: "Streams, without a limit of rows. An import reads what this gives.",
      tag: "Telemetry",
      level: "readonly",
      query,
      answer,
      run: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        const site = await needs.sites.find(device.siteId);
        return await send(call, [device], { shape: "wide", timezone: site?.timezone ?? "UTC" });
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/telemetry/export",
      name: "exportSiteTelemetry",
      summary: "Export every point of a site",
      description: "A device after the other, a row per value. Streams, without a limit of rows.",
      tag: "Telemetry",
      level: "readonly",
      query,
      answer,
      run: async (call) => {
        const { id, timezone } = await visibleSite(needs, call, call.params.site_id);
        const devices: Device[] = [];
        for (let offset = 0; offset === devices.length; offset += PAGE) {
          const filter = { scope: call.caller.sites, siteId: id };
          devices.push(...(await needs.devices.list(filter, { limit: PAGE, offset })).items);
        }
        return await send(call, devices, { shape: "long", timezone });
      },
    }),
  ];
}
