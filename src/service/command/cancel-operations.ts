// What can be done about a command besides running it: asking what it would do, and cancelling it.
import { refuse } from "#core/app-error.ts";
import { type CancelNeeds, cancelExecution, cancelUnsent } from "#service/command/cancel-execution.ts";
import {
  commandInputSchema,
  executionSchema,
  parseCommandInput,
  renderExecution,
} from "#service/command/command-wire.ts";
import { type DryRunNeeds, dryRunCommand } from "#service/command/dry-run-command.ts";
import { dryRunSchema, renderDryRun } from "#service/command/dry-run-wire.ts";
import { readExecution } from "#service/command/read-executions.ts";
import { mayReadMeasured } from "#service/control/control-operations.ts";
import { sourcesIn } from "#service/control/control-view.ts";
import { nameSources } from "#service/control/name-sources.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type AnyCall, type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";

const tag = "Commands";

export function dryRunOperations(needs: DryRunNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/commands/dry_run",
      name: "dryRunCommand",
      summary: "Try a command without running it",
      description:
        "Does all checks of an execution, and answers with the effective arguments, with what would be claimed and who would win. Nothing is stored but the audit entry.",
      tag,
      level: "readonly",
      body: commandInputSchema,
      answer: Type.Object({ dry_run: dryRunSchema }, { additionalProperties: false }),
      atGateway: {
        by: "gateway",
        waits: false,
        compares: "nothing",
        place: deviceOfPath,
        // Arguments may be sensitive.
        shown: ({ body }) => ({ name: (body as { readonly name: string }).name }),
        current: async (_call, _place, answer) => {
          if (answer !== undefined) return {};
          throw refuse("gateway_unreachable", "the answer of the gateway was lost; nothing was run");
        },
      },
      run: async (call) => {
        const head = { device: call.params.device_id, idempotencyKey: undefined, withLog: false };
        const dryRun = await dryRunCommand(needs, call, parseCommandInput(call.body, head));
        const sources = dryRun.claims.flatMap(({ view }) => sourcesIn(view));
        const mayRead = (attribute: string | undefined) => mayReadMeasured(call, dryRun.blueprint, attribute);
        return { dry_run: renderDryRun(dryRun, { mayRead, nameOf: await nameSources(needs, sources) }) };
      },
    }),
  ];
}

export function cancelOperations(needs: CancelNeeds): readonly Operation[] {
  const whichOf = ({ params }: Pick<AnyCall, "params">) => {
    const { device_id: device = "", execution_id: executionId = "" } = params as Readonly<Record<string, string>>;
    return { device, executionId };
  };
  return [
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/commands/executions/:execution_id/cancel",
      name: "cancelCommandExecution",
      summary: "Cancel a command execution",
      description:
        "One that still waits for its device ends at once, as ERROR with the code `cancelled`. For one that has begun, the command that its blueprint names is executed, and `cancelling` is that execution; how the first one ends is up to the device. Needs the level of the command.",
      tag,
      level: "readonly",
      answer: Type.Object(
        { execution: executionSchema, cancelling: Type.Optional(executionSchema) },
        { additionalProperties: false },
      ),
      atGateway: {
        by: "gateway",
        waits: false,
        compares: "nothing",
        place: deviceOfPath,
        here: async (call) => {
          const execution = await cancelUnsent(needs, call, whichOf(call));
          return execution && { execution: renderExecution(execution) };
        },
        current: async (call, _place, answer) =>
          answer === undefined ? { execution: renderExecution(await readExecution(needs, call, whichOf(call))) } : {},
      },
      run: async (call) => {
        const { execution, cancelling } = await cancelExecution(needs, call, whichOf(call));
        return {
          execution: renderExecution(execution),
          ...(cancelling !== undefined && { cancelling: renderExecution(cancelling) }),
        };
      },
    }),
  ];
}
