import type { ControlRecord } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { type ControlStrip, controlBands } from "./control-bands.ts";
import type { Range } from "./range.ts";

/** Of a device. Where there are more, the earliest part of the range has no bands. */
const MOST_RECORDS = 1_000;

/** What controlled a device in a range that may begin before it was controlled. */
export async function readControlStrips(device: string, range: Range): Promise<readonly ControlStrip[]> {
  const { controls } = await client.controls.list(device);
  if (controls.length === 0 || range.to <= range.from) return [];
  const moment = (at: number) => new Date(at).toISOString();
  const within = { "at.gte": moment(range.from), "at.lt": moment(range.to), limit: MOST_RECORDS };
  const { records, total_count } = await client.controls.history(device, within);
  const strips = controls.map(async (control) => {
    const own: ControlRecord[] = records.filter((record) => record.control === control.id);
    // What held when the range began is the last entry before it.
    if (total_count <= records.length) {
      const before = { control: control.id, "at.lt": moment(range.from), limit: 1 };
      own.push(...(await client.controls.history(device, before)).records);
    }
    return { device, control, bands: controlBands(own, range) };
  });
  return (await Promise.all(strips)).filter(({ bands }) => bands.length > 0);
}
