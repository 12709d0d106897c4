import {
  correctionSchema,
  newCorrectionSchema,
  parseNewCorrection,
  renderCorrection,
} from "#service/energy/correction-wire.ts";
import {
  type CorrectionNeeds,
  correctStep,
  listCorrections,
  withdrawCorrection,
} from "#service/energy/counter-corrections.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";

const tag = "Telemetry";

export function correctionOperations(needs: CorrectionNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/counter_corrections",
      name: "createCounterCorrection",
      summary: "Correct a doubtful step of a counter",
      description:
        "Says what one of the doubtful steps in the energies of a site was. Energies of all periods that contain the step " +
        "change; points and time series stay as they are. The server reads the values of the step from the points.",
      tag,
      level: "owner",
      atGateway: { by: "gateway", place: deviceOfPath, waits: false, compares: "nothing" },
      body: newCorrectionSchema,
      answer: Type.Object({ correction: correctionSchema }, { additionalProperties: false }),
      run: async (call) => ({
        correction: renderCorrection(
          await correctStep(needs, call, parseNewCorrection(call.params.device_id, call.body)),
        ),
      }),
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/counter_corrections",
      name: "listCounterCorrections",
      summary: "List the corrections of a device's counters",
      description: "In the order of their steps.",
      tag,
      level: "owner",
      query: paging,
      answer: listAnswer("corrections", correctionSchema),
      run: async (call) => {
        const asked = { device: call.params.device_id, page: pageOf(call.query) };
        return renderPage("corrections", await listCorrections(needs, call, asked), renderCorrection);
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/devices/:device_id/counter_corrections/:correction_id",
      name: "deleteCounterCorrection",
      summary: "Withdraw a correction",
      description: "The energies are again those that the points give, and the step is doubtful again.",
      tag,
      level: "owner",
      atGateway: { by: "gateway", place: deviceOfPath, waits: false, compares: "nothing" },
      answer: NOTHING,
      run: async (call) => {
        await withdrawCorrection(needs, call, { device: call.params.device_id, id: call.params.correction_id });
        return {};
      },
    }),
  ];
}
