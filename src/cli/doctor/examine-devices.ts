// Devices whose script runs and cannot talk: not configured, or without an answer from the device.
import { describeFailure } from "#cli/describe-failure.ts";
import type { openSession } from "#cli/session.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const ALERTS = ["not_configured", "communication_failed"];
const MOST_DEVICES = 1_000;
/** Each costs a call. */
const MOST_FINDINGS = 20;

type Client = Awaited<ReturnType<typeof openSession>>["client"];

export async function examineDevices({ devices }: Pick<Client, "devices">): Promise<readonly Finding[]> {
  try {
    const { devices: listed } = await devices.list({ expand: ["raised_alert_names"], limit: MOST_DEVICES });
    const troubled = listed.filter(
      ({ type, raised_alert_names: raised = [] }) => type === "LUA" && raised.some((name) => ALERTS.includes(name)),
    );
    const findings: Finding[] = [];
    for (const { id, slug } of troubled.slice(0, MOST_FINDINGS)) {
      const { runtime } = await devices.runtime(id);
      const why = runtime?.last_error?.message ?? "it raises an alert of its own";
      findings.push(failed("device", `${slug} is ${runtime?.state ?? "not running"}: ${why}`, ADVICE));
    }
    const left = troubled.length - findings.length;
    if (left > 0) findings.push(failed("device", `${left} more devices cannot talk`, "busbar alerts lists them"));
    return findings.length > 0 ? findings : [ok("devices", `${listed.length} devices, none says that it cannot talk`)];
  } catch (error) {
    const [found = ""] = describeFailure(error).lines;
    return [warning("devices", found, "give a token with --token-file")];
  }
}

const ADVICE =
  "configure the device (busbar device config), and list its ports and addresses in lua.ports and lua.allow";
