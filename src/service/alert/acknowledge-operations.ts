import { LONGEST_COMMENT } from "#core/alert/acknowledgement.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import {
  type AnyCall,
  type CarriedChange,
  type Operation,
  operation,
  type Place,
} from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { name, strict } from "#service/operation/wire.ts";
import { type AcknowledgeNeeds, acknowledgeAlert, acknowledgeCopies, noteAcknowledged } from "./acknowledge-alert.ts";
import { alertSchema, renderAlert } from "./alert-wire.ts";

const tag = "Alerts";
const level = "user";
const path = "/v3/devices/:device_id/alerts/:alert_id";
const source = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "The telemetry attribute that lists it. Default: all that do.",
  }),
);
const acknowledgeSchema = strict("AcknowledgeAlert", {
  comment: Type.Optional(name("What is done about it, for the others.", LONGEST_COMMENT)),
  source,
});
const unacknowledgeSchema = strict("UnacknowledgeAlert", { source });
const answer = Type.Object({ alerts: Type.Array(alertSchema) }, { additionalProperties: false });

interface Body {
  readonly comment?: string;
  readonly source?: string;
}

export function acknowledgeOperations(needs: AcknowledgeNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: `${path}/acknowledge`,
      name: "acknowledgeAlert",
      summary: "Acknowledge an alert",
      description:
        "Says that the caller takes care of an active alert: nobody is reminded of it any more, and it goes to nobody else. The alert " +
        "itself stays until its device ends it. When it is raised again, it is another one. Acknowledging it again replaces name, " +
        "time and comment.",
      tag,
      level,
      atGateway: atGateway(needs, true),
      body: acknowledgeSchema,
      answer,
      run: async (call) => ({ alerts: await done(needs, call, { comment: call.body.comment }) }),
    }),
    operation({
      method: "POST",
      path: `${path}/unacknowledge`,
      name: "unacknowledgeAlert",
      summary: "Take back the acknowledgement of an alert",
      description: "Nobody takes care of it any more: reminders and escalation go on.",
      tag,
      level,
      atGateway: atGateway(needs, false),
      body: unacknowledgeSchema,
      answer,
      run: async (call) => ({ alerts: await done(needs, call, undefined) }),
    }),
  ];
}

async function done(
  needs: AcknowledgeNeeds,
  call: AnyCall,
  given: { readonly comment: string | undefined } | undefined,
) {
  const described = await acknowledgeAlert(needs, call, { ...namedBy(call), given });
  return described.map(renderAlert);
}

function namedBy({ params, body }: AnyCall) {
  const { device_id: device = "", alert_id: alertId = "" } = params as Readonly<Record<string, string | undefined>>;
  return { device, alertId, source: (body as Body | undefined)?.source };
}

/** A cloud that sends reminders of its own must stop at once, so it notes the word of its caller in its copies. */
function atGateway(needs: AcknowledgeNeeds, isGiven: boolean): CarriedChange {
  return {
    by: "gateway",
    place: deviceOfPath,
    waits: true,
    compares: "nothing",
    shown: (call) => ({ alert: namedBy(call).alertId.slice(0, 200) }),
    current: async (call: AnyCall, { device }: Place, answered) => {
      if (device === undefined) return {};
      const { alertId, source: from } = namedBy(call);
      if (answered !== undefined) {
        await noteAcknowledged(needs, { deviceId: device.id, alertId }, answered);
        return {};
      }
      const { comment } = (call.body ?? {}) as Body;
      const asked = { device: device.id, alertId, source: from, given: isGiven ? { comment } : undefined };
      return { alerts: (await acknowledgeCopies(needs, call, asked)).map(renderAlert) };
    },
  };
}
