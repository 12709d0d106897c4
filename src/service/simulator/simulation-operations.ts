import { deviceOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { adjustSimulation, readSimulation, type SimulationNeeds } from "#service/simulator/simulation.ts";
import {
  parseSimulationChange,
  renderSimulation,
  simulationChangeSchema,
  simulationSchema,
} from "#service/simulator/simulation-wire.ts";

const tag = "Devices";
const answer = Type.Object({ simulation: simulationSchema }, { additionalProperties: false });

export function simulationOperations(needs: SimulationNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/simulation",
      name: "getSimulation",
      summary: "Get what a simulated device is doing and what was changed about it",
      description: "Values above the token's level are left out. 409 for a device that is not simulated.",
      tag,
      level: "readonly",
      answer,
      run: async (call) => ({
        simulation: renderSimulation(await readSimulation(needs, call, call.params.device_id)),
      }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/devices/:device_id/simulation",
      name: "adjustSimulation",
      summary: "Change what a simulated device does",
      description:
        "Holds and gives back values, raises and clears alerts, decides what becomes of the next command, changes seed, speed and " +
        "interval, unplugs the device. What is not given stays. All or nothing.",
      tag,
      level: "owner",
      atGateway: { by: "gateway", place: deviceOfPath, waits: false, compares: "nothing" },
      body: simulationChangeSchema,
      answer,
      run: async (call) => {
        const change = parseSimulationChange(call.body);
        const simulation = await adjustSimulation(needs, call, { device: call.params.device_id, change });
        return { simulation: renderSimulation(simulation) };
      },
    }),
  ];
}
