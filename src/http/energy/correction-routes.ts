import {
  correctionSchema,
  newCorrectionSchema,
  parseNewCorrection,
  renderCorrection,
} from "#http/energy/correction-wire.ts";
import { pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#http/wire.ts";
import {
  type CorrectionNeeds,
  correctStep,
  listCorrections,
  withdrawCorrection,
} from "#service/energy/counter-corrections.ts";

const tag = "Telemetry";

export function correctionRoutes(needs: CorrectionNeeds): readonly Route[] {
  return [
    route({
      method: "POST",
      path: "/v3/devices/:device_id/counter_corrections",
      operation: "createCounterCorrection",
      summary: "Correct a doubtful step of a counter",
      description:
        "Says what one of the doubtful steps in the energies of a site was. Energies of all periods that contain the step " +
        "change; points and time series stay as they are. The server reads the values of the step from the points.",
      tag,
      access: "owner",
      body: newCorrectionSchema,
      answer: Type.Object({ correction: correctionSchema }, { additionalProperties: false }),
      handle: async (call) => ({
        correction: renderCorrection(
          await correctStep(needs, call, parseNewCorrection(call.params.device_id, call.body)),
        ),
      }),
    }),
    route({
      method: "GET",
      path: "/v3/devices/:device_id/counter_corrections",
      operation: "listCounterCorrections",
      summary: "List the corrections of a device's counters",
      description: "In the order of their steps.",
      tag,
      access: "owner",
      query: paging,
      answer: listAnswer("corrections", correctionSchema),
      handle: async (call) => {
        const asked = { device: call.params.device_id, page: pageOf(call.query) };
        return renderPage("corrections", await listCorrections(needs, call, asked), renderCorrection);
      },
    }),
    route({
      method: "DELETE",
      path: "/v3/devices/:device_id/counter_corrections/:correction_id",
      operation: "deleteCounterCorrection",
      summary: "Withdraw a correction",
      description: "The energies are again those that the points give, and the step is doubtful again.",
      tag,
      access: "owner",
      answer: NOTHING,
      handle: async (call) => {
        await withdrawCorrection(needs, call, { device: call.params.device_id, id: call.params.correction_id });
        return {};
      },
    }),
  ];
}
